package browser_test

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.com/hub/test/shape/shapetest"
)

// TestABadgeByASocket runs the script of docs/portal.md in a page behind the nginx of that page.
func TestABadgeByASocket(t *testing.T) {
	m := readManual(t)
	m.start(t, t.TempDir(), shapetest.FreeAddress(t))
	m.proxy(t)
	h := reach(t, "http://"+m.portal, "http://"+m.hub)
	amy := newPerson(t)
	logIn(t, h, amy, "amy")
	h.push(t, "amy")

	hers := amy.beside(t)
	hers.open(t, h.url+"/portal/style.css")
	eval[bool](t, hers, "%s", `(globalThis.count = {}, globalThis.heard = [], globalThis.ended = 0, true)`)
	eval[bool](t, hers, "%s", m.socket+`
		socket.addEventListener('message', ({ data }) => heard.push(JSON.parse(data)));
		socket.addEventListener('close', ({ code }) => { ended = code; });
		true`)
	hers.until(t, "count.textContent === 1")
	if first := eval[string](t, hers, "%s", "heard[0].type"); first != "inbox.unread.changed" {
		t.Errorf("the first message is %s", first)
	}
	message := h.push(t, "amy")
	hers.until(t, "count.textContent === 2 && heard.some(({ type, id }) => type === 'message.created' && id)")
	h.call(t, http.MethodPost, "/message-hub/messages/"+message+"/read?username=amy", "")
	hers.until(t, "count.textContent === 1")

	if status := eval[int](t, hers, "%s", "fetch('/portal/logout', { method: 'POST' }).then(({ status }) => status)"); status != http.StatusOK {
		t.Errorf("the logout is answered with %d", status)
	}
	hers.until(t, "ended !== 0")
	if code := eval[int](t, hers, "%s", "ended"); code != 4003 {
		t.Errorf("the socket is closed with %d", code)
	}
}

// socketScript runs in the folder of the packages, which make puts there.
//
//go:embed testdata/socket.mjs
var socketScript string

// node is a client of the package ws, another implementation in another language.
type node struct {
	lines chan string
	in    io.Writer
}

func (h hub) node(t *testing.T, token, query string) *node {
	t.Helper()
	file := t.TempDir() + "/socket.mjs"
	if err := os.WriteFile(file, []byte(socketScript), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `PATH=$PWD/node_modules/.bin:$PATH exec node --input-type=module --eval "$(cat "$0")"`, file)
	cmd.Dir = providerPackages
	cmd.Env = append(os.Environ(), "SOCKET_URL="+strings.Replace(h.direct, "http", "ws", 1)+"/message-hub/ws"+query, "SOCKET_TOKEN="+token)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n := &node{make(chan string, 1000), in}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			n.lines <- lines.Text()
		}
		close(n.lines)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
	})
	return n
}

// wants waits for a line that begins so. Others may come before it.
func (n *node) wants(t *testing.T, prefix string) string {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case line, ok := <-n.lines:
			if !ok {
				t.Fatalf("the client has ended, and %q did not come; make browser installs it", prefix)
			}
			if strings.HasPrefix(line, prefix) {
				return line
			}
		case <-late:
			t.Fatalf("%q does not come", prefix)
		}
	}
}

// TestAClientOfAnotherLanguage has Node's ws hear what a business system may hear.
func TestAClientOfAnotherLanguage(t *testing.T) {
	h := demo(t)
	c := h.node(t, h.token, "?user=carla&topics=inbox,todo")
	c.wants(t, "extensions none")
	c.wants(t, `text {"type":"inbox.unread.changed","unread":0,"ts":`)
	c.wants(t, "ping")
	h.push(t, "carla")
	var message struct {
		ID string
		TS int64
	}
	line := strings.TrimPrefix(c.wants(t, `text {"type":"message.created","id":"`), "text ")
	if err := json.Unmarshal([]byte(line), &message); err != nil || message.ID == "" || message.TS == 0 {
		t.Errorf("the message is %s: %v", line, err)
	}
	c.wants(t, `text {"type":"inbox.unread.changed","unread":1,"ts":`)
	h.call(t, http.MethodPost, "/todo-hub/todos", `{"todoId":"po-1","type":"HANDLE","sourceBizId":"1",
		"assigneeUsername":"carla","title":"Approve","category":"order","actionUrl":"https://erp.example/po/1"}`)
	c.wants(t, `text {"type":"todo.changed","id":"po-1","ts":`)
	if _, err := fmt.Fprintln(c.in, "hello"); err != nil {
		t.Fatal(err)
	}
	c.wants(t, "closed 1003")
	h.node(t, "x", "?user=carla").wants(t, "refused 401")
	h.node(t, h.token, "").wants(t, "refused 400")
}
