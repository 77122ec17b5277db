package show_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"example.com/hub/clients/hubctl/internal/show"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain 审批 é":        "plain 审批 é",
		"a\r\nb\tc\u2028d":  "a  b c d",
		"\x1b[2J\x00\x7f":   `\x1b[2J\x00\x7f`,
		"\u009b2J\u0085":    `\u009b2J\u0085`,
		"a\u202eb\u2066c":   `a\u202eb\u2066c`,
		"\xff\xfe":          `\xff\xfe`,
		"\U000e0041\ufeffx": `\U000e0041\ufeffx`,
		"👩\u200d💻":          "👩\u200d💻",
	} {
		if got := show.Text(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if got := show.Lines("a\n\x1bb"); got != "a\n\\x1bb" {
		t.Errorf("lines are %q", got)
	}
}

func TestJSONKeepsTheValueAndHidesWhatATerminalObeys(t *testing.T) {
	in := "<a&b> \x1b\u009b\u202e\U000e0041\u2028 审 \x7f"
	for name, write := range map[string]func(*strings.Builder) error{
		"indented": func(b *strings.Builder) error { return show.JSON(b, map[string]string{"x": in}) },
		"line": func(b *strings.Builder) error {
			return show.JSONLine(b, json.RawMessage("{ \"x\":\n\""+strings.Trim(quoted(in), `"`)+"\"}"))
		},
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		var out map[string]string
		if err := json.Unmarshal([]byte(b.String()), &out); err != nil || out["x"] != in {
			t.Errorf("%s: %s, %v", name, &b, err)
		}
		if strings.ContainsAny(b.String(), "\x1b\u009b\u202e\U000e0041\u2028\x7f") || !strings.Contains(b.String(), "审") {
			t.Errorf("%s: %q", name, &b)
		}
	}
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func TestTableFitsAnyWidth(t *testing.T) {
	table := show.Table{
		Columns: []string{"ID", "TITLE", "WHO"},
		Rows:    [][]show.Cell{show.Cells("1", "审批订单审批订单审批订单", "alice"), show.Cells("22222222222", "Approve the order of today", "b")},
	}
	for width := 8; width < 70; width++ {
		var b strings.Builder
		if err := table.Write(&b, show.Terminal{Width: width}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		for _, line := range lines {
			if got := runewidth.StringWidth(line); got > width || len(lines) != 3 {
				t.Errorf("%d columns: %d in %q", width, got, line)
			}
		}
	}
	var b strings.Builder
	if err := table.Write(&b, show.Terminal{}); err != nil || strings.Contains(b.String(), "…") {
		t.Errorf("a pipe gets\n%s%v", &b, err)
	}
}

func TestFieldsGoOnBelowThemselves(t *testing.T) {
	var b strings.Builder
	err := show.Fields(&b, show.Terminal{Width: 32, Colour: true}, []show.Field{
		{Name: "status", Value: show.Cell{Text: "OPEN", Style: show.Good}},
		{Name: "none"},
		{Name: "title", Value: show.Cell{Text: strings.Repeat("abcdefgh ", 5)}},
	})
	want := "\x1b[1mstatus\x1b[0m  \x1b[32mOPEN\x1b[0m\n\x1b[1mtitle\x1b[0m   abcdefgh abcdefgh abcdef\n        gh abcdefgh abcdefgh \n"
	if err != nil || b.String() != want {
		t.Errorf("%q, %v", b.String(), err)
	}
}
