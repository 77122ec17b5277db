package hubctl

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

const batchPath = "/todo-hub/todos/batch"

// todos are n lines of todos of a user.
func todos(user string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"todoId":"%s-%05d","type":"handle","sourceBizId":"%d","assigneeUsername":%q,"title":"Approve","category":"c","actionUrl":"/%d"}`+"\n",
			user, i, i, user, i)
	}
	return b.String()
}

func write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// totals are what an import says with -o json.
type totals struct {
	Lines, Stored, Stale, Refused int
	Resumed                       bool
}

func totalsOf(t *testing.T, r result) totals {
	t.Helper()
	var got totals
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		t.Fatalf("%s: %v", r, err)
	}
	return got
}

// stored counts the open todos of a user.
func stored(t *testing.T, c caller, user string) int {
	t.Helper()
	var all []struct{ ID string }
	if err := json.Unmarshal([]byte(c.ok("todo", "list", user, "--all", "-o", "json")), &all); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, one := range all {
		ids[one.ID] = true
	}
	if len(ids) != len(all) {
		t.Errorf("%d entries of %d todos", len(all), len(ids))
	}
	return len(ids)
}

func gone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", path, err)
	}
}

// TestImportGoesOnAfterAKill kills an import while Hub has stored a batch whose answer is not there yet, and
// another one before Hub has seen its batch.
func TestImportGoesOnAfterAKill(t *testing.T) {
	const n = 5200 // 11 batches
	file := write(t, "todos.ndjson", todos("kill", n))
	var batches, sent atomic.Int64
	var hang atomic.Pointer[handling]
	reached, done := make(chan struct{}), t.Context().Done()
	block := func(r *http.Request) {
		reached <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-done:
		}
	}
	afterwards := func(_ http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(nowhere{http.Header{}}, r)
		block(r)
	}
	before := func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the caller is noticed
		block(r)
	}
	front := proxy(t, hubURL, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if r.URL.Path == batchPath {
			sent.Add(1)
			if batches.Add(1) == 4 && hang.Load() != nil {
				(*hang.Load())(w, r, pass)
				return
			}
		}
		pass.ServeHTTP(w, r)
	})
	c := newCaller(t, front.URL)
	for i, how := range []handling{afterwards, before} {
		hang.Store(&how)
		batches.Store(0)
		cmd := c.command("import", file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-reached
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		text, err := os.ReadFile(file + ".checkpoint")
		if err != nil || !strings.Contains(string(text), fmt.Sprintf(`"totals":{"lines":%d,"stored":%[1]d,`, 1500*(i+1))) {
			t.Errorf("after kill %d the checkpoint is %s, %v", i+1, text, err)
		}
	}
	hang.Store(nil)
	r := c.run("", "import", file, "-o", "json")
	if got := totalsOf(t, r); r.code != 0 || got != (totals{Lines: n, Stored: n, Resumed: true}) {
		t.Errorf("%s", r)
	}
	if got := stored(t, c, "kill"); got != n {
		t.Errorf("%d todos are stored", got)
	}
	if got := sent.Load(); got != 11+2 {
		t.Errorf("%d batches were sent, want each once and the two of the kills again", got)
	}
	gone(t, file+".checkpoint")
	gone(t, file+".rejects")
}

// nowhere takes an answer that nobody gets.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header       { return n.header }
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) WriteHeader(int)             {}

func TestImportTellsOfRefusedLines(t *testing.T) {
	good := strings.Split(todos("rej", 700), "\n")
	good[1] = strings.Replace(good[1], `"Approve"`, `""`, 1)              // refused by Hub
	good[2] = "no JSON"                                                   //
	good[3] = ""                                                          // blank lines count, and are none
	good[400] = `{"todoId":"rej-x","todoId":"y"}`                         // refused with all of its batch
	good[650] = `{"todoId":"` + strings.Repeat("x", 70_000) + `"}`        // longer than any batch
	good[651] = strings.Replace(good[651], `"c"`, `"`+"\u009b31m"+`"`, 1) // stored as it is
	file := write(t, "todos.ndjson", strings.TrimSuffix(strings.Join(good, "\r\n"), "\r\n"))
	c := newCaller(t, hubURL)
	r := c.run("", "import", file, "--batch-bytes", "65536")
	want := fmt.Sprintf("695 stored, 0 stale, 4 refused, in …s.\nThe refused lines are in %s.rejects.\n", file)
	if r.code != 1 || !matches(r.out, want) {
		t.Errorf("%s, want %s", r, want)
	}
	for _, told := range []string{"line 2: title must not be empty\n", "line 3: the line is no JSON object\n", "line 401: …\n", "line 651: the line has more than 65020 bytes\n"} {
		if !matches(r.errs, "⋮hubctl: "+told+"⋮") {
			t.Errorf("%s, want %s", r.errs, told)
		}
	}
	text, err := os.ReadFile(file + ".rejects")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var second struct {
		Line         int
		Reason, Text string
	}
	if err := json.Unmarshal([]byte(lines[1]), &second); err != nil || len(lines) != 4 || second.Line != 3 || second.Text != "no JSON" {
		t.Errorf("the rejects are %s", text)
	}
	if got := stored(t, c, "rej"); got != 695 {
		t.Errorf("%d todos are stored", got)
	}
	r = c.run(todos("rej", 2)+"x\n", "import", "-", "-o", "json")
	if got := totalsOf(t, r); r.code != 1 || got != (totals{Lines: 3, Stored: 2, Refused: 1}) {
		t.Error(r)
	}
}

// TestImportWaitsForHub has a Hub that is busy, then away, then one that asks to wait.
func TestImportWaitsForHub(t *testing.T) {
	var calls atomic.Int64
	front := proxy(t, hubURL, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		switch n := calls.Add(1); {
		case r.URL.Path != batchPath:
			calls.Add(-1)
			pass.ServeHTTP(w, r)
		case n == 1:
			http.Error(w, `{"code":"-1","msg":"busy","data":null}`, http.StatusServiceUnavailable)
		case n == 2:
			panic(http.ErrAbortHandler)
		default:
			pass.ServeHTTP(w, r)
		}
	})
	r := newCaller(t, front.URL).run(todos("wait", 20), "import", "-")
	if r.code != 0 || !matches(r.out, "20 stored, 0 stale, 0 refused, in …\n") || strings.Count(r.errs, "; again in ") != 2 {
		t.Error(r)
	}
	calls.Store(0)
	file := write(t, "todos.ndjson", todos("wait", 20))
	if r := newCaller(t, front.URL).run("", "import", file, "--retry-for", "0s"); r.code != 3 || !strings.Contains(r.errs, "busy") {
		t.Error(r)
	}
}

func TestImportKnowsItsInput(t *testing.T) {
	file := write(t, "todos.ndjson", todos("input", 1200))
	var batches atomic.Int64
	front := proxy(t, hubURL, func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if r.URL.Path == batchPath && batches.Add(1) == 2 {
			http.Error(w, `{"code":"-1","msg":"gone","data":null}`, http.StatusNotFound)
			return
		}
		pass.ServeHTTP(w, r)
	})
	c := newCaller(t, front.URL)
	r := c.run("", "import", file)
	if r.code != 1 || !matches(r.errs, "hubctl: 500 lines are done; the same call goes on behind them\nhubctl: gone\n…\n") {
		t.Error(r)
	}
	if r := newCaller(t, hubURL).run("", "import", file); r.code != 2 || !strings.Contains(r.errs, "is of an import as erp to "+front.URL) {
		t.Error(r)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, changed := range map[string]string{"changed": strings.Replace(string(whole), "input-00007", "other-00007", 1), "shorter": string(whole[:100])} {
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := c.run("", "import", file); r.code != 2 || !strings.Contains(r.errs, "is not what it was when its checkpoint was made") {
			t.Errorf("%s: %s", name, r)
		}
	}
	r = c.run(string(whole), "import", "-", "--checkpoint", file+".checkpoint", "-o", "json")
	if got := totalsOf(t, r); r.code != 0 || got != (totals{Lines: 1200, Stored: 1200, Resumed: true}) {
		t.Error(r)
	}
	r = c.run("", "import", write(t, "twice.ndjson", todos("input", 3)), "--restart", "-o", "json")
	if got := totalsOf(t, r); r.code != 0 || got != (totals{Lines: 3, Stored: 3}) {
		t.Error(r)
	}
}

func TestImportShowsABar(t *testing.T) {
	c := newCaller(t, hubURL)
	code, seen := c.on(60, "import", write(t, "todos.ndjson", todos("bar", 1100)))
	if code != 0 || !strings.Contains(seen, "100% [==============================] 1100 lines") || !strings.HasSuffix(seen, "s.\r\n") {
		t.Errorf("exit %d, %q", code, seen)
	}
}
