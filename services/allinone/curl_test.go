package allinone_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// block is a fenced block of a page: commands when it is marked sh, what they answer otherwise.
var block = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// The second run is on the data of the first.
func TestThePageOfCurlAnswersAsItSaysTwice(t *testing.T) {
	text, err := os.ReadFile("../../docs/curl.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	blocks := block.FindAllStringSubmatch(page, -1)
	calls, answers := strings.Count(page, "\ncurl -s "), strings.Count(page, "\n{")
	if calls == 0 || calls != answers {
		t.Fatalf("%d calls are shown with %d answers", calls, answers)
	}
	hub := start(t)
	for _, run := range []string{"first", "second"} {
		t.Run(run, func(t *testing.T) {
			sh := newShell(t)
			for _, b := range blocks {
				if b[1] != "sh" {
					sh.answers(t, b[2])
					continue
				}
				commands := strings.Replace(b[2], "http://127.0.0.1:8080", hub.URL(), 1)
				// A person takes more than a second for a run.
				sh.run(t, strings.Replace(commands, "date +%s", "date +%s%N", 1))
			}
		})
	}
}

// shell is a running bash. JSON in its output is an answer, and other lines come from the stream.
type shell struct {
	in              io.Writer
	answered, heard chan string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	// The test's own context ends before the cleanup below, which still needs the shell.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "bash")
	cmd.WaitDelay = time.Second // for what it started
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, write := io.Pipe()
	cmd.Stdout, cmd.Stderr = write, write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &shell{in: in, answered: make(chan string, 100), heard: make(chan string, 100)}
	go s.read(out)
	t.Cleanup(func() {
		s.run(t, "kill %1\n")
		_ = in.Close()
		_ = cmd.Wait()
		_ = write.Close()
	})
	return s
}

func (s *shell) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "{"):
			s.answered <- line
		case line != "" && !strings.Contains(line, "heartbeat"):
			s.heard <- line
		}
	}
}

func (s *shell) run(t *testing.T, commands string) {
	t.Helper()
	if _, err := io.WriteString(s.in, commands); err != nil {
		t.Error(err)
	}
}

// answers waits for each of the lines, in which … stands for anything.
func (s *shell) answers(t *testing.T, lines string) {
	t.Helper()
	for want := range strings.Lines(lines) {
		from := s.heard
		if strings.HasPrefix(want, "{") {
			from = s.answered
		}
		want = strings.TrimSuffix(want, "\n")
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + "$"
		select {
		case got := <-from:
			if !regexp.MustCompile(pattern).MatchString(got) {
				t.Fatalf("got  %s\nwant %s", got, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("nothing comes, want %s", want)
		}
	}
}
