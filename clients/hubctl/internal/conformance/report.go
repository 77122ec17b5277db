package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The results of a case.
const (
	Pass = "pass"
	Fail = "fail"
	Skip = "skip"
)

// Case is a sentence of a suite and whether the Hub keeps to it.
type Case struct {
	Area    string  `json:"area"`
	Name    string  `json:"name"`
	Result  string  `json:"result"`
	Seconds float64 `json:"seconds"`
	// Output says why a case failed.
	Output string `json:"output,omitempty"`
}

// Report is what came out of a suite.
type Report struct {
	Target  string  `json:"target"`
	Suite   string  `json:"suite"`
	Passed  int     `json:"passed"`
	Failed  int     `json:"failed"`
	Skipped int     `json:"skipped"`
	Seconds float64 `json:"seconds"`
	Cases   []Case  `json:"cases"`
}

func (r *Report) count() {
	for _, c := range r.Cases {
		switch c.Result {
		case Pass:
			r.Passed++
		case Fail:
			r.Failed++
		default:
			r.Skipped++
		}
	}
}

func seconds(d time.Duration) float64 { return d.Round(10 * time.Millisecond).Seconds() }

// reader reads what package testing prints with -test.v=test2json: lines of its own begin with a mark.
type reader struct {
	suite    string
	open     map[string]*Case
	ended    []Case
	current  string // whose output comes
	output   strings.Builder
	progress func(Case)
}

const mark = "\x16"

var (
	turn = regexp.MustCompile(`^=== (?:RUN|NAME|CONT|PAUSE)\s+(.*)$`)
	end  = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (.*) \(([0-9.]+)s\)$`)
)

func (r *reader) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		text, err := lines.ReadString('\n')
		for i, part := range strings.Split(strings.TrimSuffix(text, "\n"), mark) {
			r.line(part, i > 0)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *reader) line(text string, own bool) {
	if m := turn.FindStringSubmatch(text); own && m != nil {
		r.current = m[1]
		return
	}
	if m := end.FindStringSubmatch(text); own && m != nil {
		r.close(m[2], strings.ToLower(m[1]), m[3])
		return
	}
	if text == "" || own {
		return
	}
	if c := r.caseOf(r.current); c != nil {
		c.Output += text + "\n"
	} else {
		r.output.WriteString(text + "\n")
	}
}

// caseOf is the case of a test's name, SUITE/AREA/CASE; nil for what is above cases.
func (r *reader) caseOf(test string) *Case {
	parts := strings.SplitN(test, "/", 3)
	if len(parts) < 3 {
		return nil
	}
	// A case may have tests of its own, whose output is the case's.
	name, _, _ := strings.Cut(parts[2], "/")
	key := parts[1] + "/" + name
	if r.open[key] == nil {
		r.open[key] = &Case{Area: parts[1], Name: name}
	}
	return r.open[key]
}

func (r *reader) close(test, result, took string) {
	c := r.caseOf(test)
	if c == nil || c.Area+"/"+c.Name != strings.TrimPrefix(test, r.suite+"/") {
		return
	}
	c.Result = result
	c.Seconds, _ = strconv.ParseFloat(took, 64) // by its pattern it is a number
	if result == Pass {
		c.Output = ""
	}
	delete(r.open, c.Area+"/"+c.Name)
	r.ended = append(r.ended, *c)
	r.progress(*c)
}

// verdict is why the suite did not come to its end, or nil.
func (r *reader) verdict(ctx context.Context, exit, read error, complaints *tail) error {
	failed := false
	for _, c := range r.ended {
		failed = failed || c.Result == Fail
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case read != nil:
		return read
	case exit != nil && !failed:
		return fmt.Errorf("the suite did not run: %s", strings.TrimSpace(r.output.String()+"\n"+complaints.String()))
	case len(r.open) > 0:
		return fmt.Errorf("the suite ended in the middle of %d cases: %s", len(r.open), complaints)
	case len(r.ended) == 0:
		return errors.New("there is no such case")
	}
	return nil
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailSize):]
	return len(p), nil
}

func (t *tail) String() string { return string(t.text) }
