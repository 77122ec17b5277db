package reload_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/reload"
)

// pair is two files that fit when they say the same.
type pair struct {
	one, two string
	now      time.Time
	log      bytes.Buffer
}

var errMismatch = errors.New("HUB_ONE, HUB_TWO: they do not fit")

func parse(content [][]byte) (string, error) {
	if !bytes.Equal(content[0], content[1]) || content[2] != nil {
		return "", errMismatch
	}
	return string(content[0]), nil
}

func newPair(t *testing.T) *pair {
	t.Helper()
	dir := t.TempDir()
	p := &pair{one: filepath.Join(dir, "one"), two: filepath.Join(dir, "two"), now: time.Unix(1_900_000_000, 0)}
	p.write(t, "first", "first")
	return p
}

func (p *pair) write(t *testing.T, one, two string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(p.one, []byte(one), 0o600), os.WriteFile(p.two, []byte(two), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (p *pair) open(t *testing.T, parse func([][]byte) (string, error)) *reload.Value[string] {
	t.Helper()
	v, err := reload.Open(reload.Deps[string]{
		Files:  []reload.File{{Setting: "HUB_ONE", Path: p.one}, {Setting: "HUB_TWO", Path: p.two}, {Setting: "HUB_THREE"}},
		Parse:  parse,
		Clock:  func() time.Time { return p.now },
		Logger: slog.New(slog.NewTextHandler(&p.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// later uses the value again and again until a change counts.
func (p *pair) later(v *reload.Value[string]) string {
	for range 3 {
		p.now = p.now.Add(reload.Every)
		v.Current()
	}
	return v.Current()
}

func TestBadFilesLeaveTheOldOnesInForce(t *testing.T) {
	p := newPair(t)
	v := p.open(t, parse)
	for _, tt := range []struct {
		one, two, want, level string
	}{
		{"first", "first", "first", ""},
		{"second", "first", "first", "level=ERROR"},
		{"second", "second", "second", "level=INFO"},
		{"second", "third", "second", "level=ERROR"},
		{"second", strings.Repeat("x", 5<<20), "second", "level=ERROR"},
	} {
		p.write(t, tt.one, tt.two)
		p.log.Reset()
		if got := p.later(v); got != tt.want {
			t.Errorf("the value is %q, want %q", got, tt.want)
		}
		if text := p.log.String(); strings.Count(text, "level=") != min(len(tt.level), 1) || !strings.Contains(text, tt.level) {
			t.Errorf("log %q, want one line of %q", text, tt.level)
		}
	}
	if err := os.Remove(p.two); err != nil {
		t.Fatal(err)
	}
	if got := p.later(v); got != "second" || !strings.Contains(p.log.String(), "HUB_TWO: open "+p.two) {
		t.Errorf("the value is %q, log %s", got, p.log.String())
	}
}

func TestFilesAreReadEveryFiveSecondsAtMost(t *testing.T) {
	p := newPair(t)
	v := p.open(t, parse)
	p.write(t, "second", "second")
	p.now = p.now.Add(reload.Every - 1)
	if got := v.Current(); got != "first" {
		t.Errorf("the value is %q before its time", got)
	}
	p.now = p.now.Add(1)
	if got := v.Current(); got != "second" {
		t.Errorf("the value is %q", got)
	}
}

func TestNobodyWaitsForAnothersReading(t *testing.T) {
	p := newPair(t)
	reading, goOn := make(chan struct{}), make(chan struct{})
	v := p.open(t, func(content [][]byte) (string, error) {
		if string(content[0]) != "first" {
			close(reading)
			<-goOn
		}
		return parse(content)
	})
	p.write(t, "second", "second")
	p.now = p.now.Add(reload.Every)
	done := make(chan string)
	go func() { done <- v.Current() }()
	<-reading
	if got := v.Current(); got != "first" {
		t.Errorf("the value is %q while it is read", got)
	}
	close(goOn)
	if got := <-done; got != "second" {
		t.Errorf("the value is %q", got)
	}
}

func TestOpenNamesTheSetting(t *testing.T) {
	p := newPair(t)
	p.write(t, "first", "second")
	for name, files := range map[string][]reload.File{
		"HUB_NONE": {{Setting: "HUB_NONE", Path: p.one + ".none"}},
		"HUB_TWO":  {{Setting: "HUB_ONE", Path: p.one}, {Setting: "HUB_TWO", Path: p.two}, {}},
	} {
		_, err := reload.Open(reload.Deps[string]{Files: files, Parse: parse})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want an error that names %s", err, name)
		}
	}
}
