package hubctl

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"testing"
)

// TestWatchGoesOnAfterABreak cuts the stream, pushes while it is away, and sees the event.
func TestWatchGoesOnAfterABreak(t *testing.T) {
	front := proxy(t, hubURL, func(w http.ResponseWriter, r *http.Request, pass http.Handler) { pass.ServeHTTP(w, r) })
	c, direct := newCaller(t, front.URL), newCaller(t, hubURL)
	push := func(id string) {
		direct.ok("message", "push", "--id", id, "--to", "watched", "--title", "x", "--content", "y")
	}
	cmd := c.command("watch", "watched", "--topics", "inbox,todo", "-o", "json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func(kind string) (id string) {
		t.Helper()
		for lines.Scan() {
			var e struct{ Type, ID string }
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatalf("%s: %v", lines.Text(), err)
			}
			if e.Type == kind {
				return e.ID
			}
		}
		t.Fatalf("watch has ended: %v", lines.Err())
		return ""
	}
	next("open")
	push("w-1")
	next("message")
	front.CloseClientConnections()
	push("w-2")
	next("open")
	if id := next("todo"); id != "" { // any of them may have changed meanwhile
		t.Errorf("todo %q", id)
	}
	next("message")
	direct.ok("message", "read", "watched", "w-1")
	if id := next("read"); id != "w-1" {
		t.Errorf("read %q", id)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	_ = cmd.Wait() // the code tells
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d", code)
	}
}

func TestWatchIsRefused(t *testing.T) {
	check(t, newCaller(t, hubURL), []call{
		{args: words("watch x --topics news"), code: 1, errs: "hubctl: topics must be …\n"},
	})
}

func TestWatchPrintsALineForEachEvent(t *testing.T) {
	c := newCaller(t, hubURL)
	tty := newTerminal(t, 80)
	cmd := c.command("watch", "liner", "--topics", "todo")
	end := tty.start(cmd)
	tty.waitFor("  open   ")
	c.ok("todo", "upsert", "--id", "line-2", "--type", "handle", "--biz-id", "1", "--assignee", "liner", "--title", "t", "--category", "c", "--url", "/")
	tty.waitFor("  todo     line-2\r\n")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code, seen := end(); code != 130 {
		t.Errorf("exit %d, %q", code, seen)
	}
}
