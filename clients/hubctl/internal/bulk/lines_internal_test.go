package bulk

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const longest = 100

// readAll gives the lines from a place on.
func readAll(t *testing.T, in io.Reader, from place) []line {
	t.Helper()
	l := newLines(in, longest)
	if from.offset > 0 {
		if err := l.skip(from); err != nil {
			t.Fatal(err)
		}
	}
	var all []line
	for {
		one, err := l.next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}

func TestLines(t *testing.T) {
	fits := `{"a":"` + strings.Repeat("x", longest-8) + `"}`
	in := "{}\r\n\n  {\"a\": 1}  \nx\n[]\n" + fits + "\n" + fits + "x\n" + strings.Repeat("{", 1<<20) + "\n{\"a\":\"\xff\"}\n{\"last\":1}"
	want := []struct {
		number      int64
		text, fault string
	}{
		{1, "{}", ""},
		{3, `{"a": 1}`, ""},
		{4, "x", "the line is no JSON object"},
		{5, "[]", "the line is no JSON object"},
		{6, fits, ""},
		{7, fits, "the line has more than 100 bytes"},
		{8, strings.Repeat("{", 100), "the line has more than 100 bytes"},
		{9, "{\"a\":\"\xff\"}", "the line is no JSON object"},
		{10, `{"last":1}`, ""},
	}
	all := readAll(t, iotest.HalfReader(strings.NewReader(in)), place{})
	if len(all) != len(want) {
		t.Fatalf("%d lines: %+v", len(all), all)
	}
	for i, got := range all {
		if got.number != want[i].number || string(got.text) != want[i].text || got.fault != want[i].fault {
			t.Errorf("line %d is %d %q %q, want %+v", i, got.number, got.text, got.fault, want[i])
		}
		rest := readAll(t, strings.NewReader(in), got.last)
		if len(rest) != len(all)-i-1 {
			t.Errorf("behind line %d are %d", got.number, len(rest))
		}
		for j, one := range rest {
			if one.number != all[i+1+j].number || one.last != all[i+1+j].last {
				t.Errorf("behind line %d is %+v, want %+v", got.number, one, all[i+1+j])
			}
		}
	}
	if last := all[len(all)-1].last.offset; last != int64(len(in)) {
		t.Errorf("the last line ends at %d of %d", last, len(in))
	}
}

func TestLinesOfAnotherInputAreRefused(t *testing.T) {
	first := readAll(t, strings.NewReader("{}\n{}\n"), place{})[0].last
	for _, in := range []string{"", "{}", "[]\n{}\n"} {
		if err := newLines(strings.NewReader(in), longest).skip(first); !errors.Is(err, errChanged) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestABrokenInputIsAnError(t *testing.T) {
	broken := errors.New("broken")
	l := newLines(io.MultiReader(strings.NewReader("{}\n{"), iotest.ErrReader(broken)), longest)
	if one, err := l.next(); err != nil || one.number != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	if _, err := l.next(); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
