package rest_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/hub/services/edge/internal/rest"
)

func TestBodyThatIsRefused(t *testing.T) {
	const upsert, push = "/todo-hub/todos", "/message-hub/messages"
	const noObject = "the request body must be a JSON object"
	tests := map[string]struct{ path, body, msg string }{
		"empty":                 {upsert, "", noObject},
		"blank":                 {upsert, " \n", "the request body is not valid JSON at byte 2"},
		"null":                  {upsert, "null", noObject},
		"array":                 {upsert, "[]", noObject},
		"string":                {upsert, `"x"`, noObject},
		"number":                {upsert, "5", noObject},
		"unfinished":            {upsert, `{"todoId":`, "the request body is not valid JSON at byte 10"},
		"unfinished string":     {upsert, `{"todoId":"`, "the request body is not valid JSON at byte 11"},
		"two objects":           {upsert, `{"todoId":"a"}{}`, "the request body is not valid JSON at byte 14"},
		"trailing garbage":      {upsert, `{} x`, "the request body is not valid JSON at byte 3"},
		"trailing comma":        {upsert, `{"todoId":"a",}`, "the request body is not valid JSON at byte 13"},
		"comment":               {upsert, `{/**/}`, "the request body is not valid JSON at byte 1"},
		"single quotes":         {upsert, `{'todoId':'a'}`, "the request body is not valid JSON at byte 1"},
		"byte order mark":       {upsert, "\ufeff{}", "the request body is not valid JSON at byte 0"},
		"UTF-16":                {upsert, "\xfe\xff\x00{\x00}", "the request body is not valid JSON at byte 0"},
		"duplicate name":        {upsert, `{"title":"a","title":"b"}`, "the request body is not valid JSON: a name stands twice at byte 13"},
		"duplicate by escape":   {upsert, `{"title":"a","\u0074itle":"b"}`, "the request body is not valid JSON: a name stands twice at byte 13"},
		"duplicate unknown":     {upsert, `{"x":1,"x":2}`, "the request body is not valid JSON: a name stands twice at byte 7"},
		"duplicate far below":   {upsert, `{"x":{"y":[{"z":1,"z":2}]}}`, "the request body is not valid JSON: a name stands twice at byte 18"},
		"invalid UTF-8":         {upsert, "{\"title\":\"\xff\"}", "the request body is not valid JSON at byte 10"},
		"invalid UTF-8 skipped": {upsert, "{\"x\":\"\xc0\xaf\"}", "the request body is not valid JSON at byte 6"},
		"invalid UTF-8 name":    {upsert, "{\"\xff\":1}", "the request body is not valid JSON at byte 2"},
		"lone surrogate":        {upsert, `{"title":"\ud800"}`, "the request body is not valid JSON at byte 10"},
		"raw control character": {upsert, "{\"title\":\"a\nb\"}", "the request body is not valid JSON at byte 11"},
		"enum as a number":      {upsert, `{"type":1}`, "type must be a string"},
		"text as a number":      {upsert, `{"todoId":1e400}`, "todoId must be a string"},
		"text as a boolean":     {upsert, `{"title":true}`, "title must be a string"},
		"text as an object":     {upsert, `{"summary":{"a":1}}`, "summary must be a string"},
		"text as an array":      {upsert, `{"actionUrl":["a"]}`, "actionUrl must be a string"},
		"instant as a number":   {upsert, `{"dueAt":1700000000}`, "dueAt must be a string"},
		"list as a string":      {push, `{"targetUsernames":"amy"}`, "targetUsernames must be an array"},
		"list as an object":     {push, `{"targetUsernames":{"0":"amy"}}`, "targetUsernames must be an array"},
		"entry as a number":     {push, `{"targetUsernames":["a",5]}`, "targetUsernames[1] must be a string"},
		"entry as a list":       {push, `{"targetUsernames":[["a"]]}`, "targetUsernames[0] must be a string"},
		"action as a string":    {push, `{"actions":[{},"x"]}`, "actions[1] must be an object"},
		"action as null":        {push, `{"actions":[null]}`, "actions[0] must be an object"},
		"action label":          {push, `{"actions":[{"label":[]}]}`, "actions[0].label must be a string"},
		"action url":            {push, `{"actions":[{"url":false}]}`, "actions[0].url must be a string"},
		"clear without a body":  {"/todo-hub/todos/T1/clear", "", noObject},
		"result as a number":    {"/todo-hub/todos/T1/clear", `{"result":1}`, "result must be a string"},
		"deep arrays":           {upsert, `{"x":` + strings.Repeat("[", 1_000_000), "the request body is not valid JSON at byte 10004"},
		"deep objects":          {upsert, strings.Repeat(`{"x":`, 500_000), "the request body is not valid JSON at byte 50000"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			wantMessage(t, f.send(t, "POST", tt.path, tt.body), http.StatusBadRequest, tt.msg)
			if f.hub.calls != 0 {
				t.Error("the hub was called")
			}
		})
	}
}

func TestContentType(t *testing.T) {
	tests := map[string]struct {
		headers []string
		body    string
		status  int
	}{
		"json":                     {[]string{"Content-Type", "application/json"}, "{}", 200},
		"with parameters":          {[]string{"Content-Type", `Application/JSON; charset="utf-8"; v=1`}, "{}", 200},
		"with a broken parameter":  {[]string{"Content-Type", "application/json; charset"}, "{}", 200},
		"none":                     {[]string{"Content-Type", ""}, "{}", 200},
		"text":                     {[]string{"Content-Type", "text/plain"}, "{}", 415},
		"form":                     {[]string{"Content-Type", "application/x-www-form-urlencoded"}, "a=b", 415},
		"json of another kind":     {[]string{"Content-Type", "application/json-patch+json"}, "{}", 415},
		"nonsense":                 {[]string{"Content-Type", "/;"}, "{}", 415},
		"compressed":               {[]string{"Content-Encoding", "gzip"}, "{}", 415},
		"compressed by nothing":    {[]string{"Content-Encoding", "identity"}, "{}", 200},
		"form without a body":      {[]string{"Content-Type", "application/x-www-form-urlencoded"}, "", 200},
		"form without a body, GET": {[]string{"Content-Type", "text/plain"}, "", 200},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFront(t)
			w := f.send(t, "POST", "/todo-hub/todos/T1/invalidate", tt.body, tt.headers...)
			if w.Code != tt.status {
				t.Fatalf("status %d, want %d", w.Code, tt.status)
			}
			if tt.status != http.StatusOK {
				wantMessage(t, w, tt.status, "the content type must be application/json")
			}
		})
	}
	t.Run("chunked form", func(t *testing.T) {
		for body, status := range map[string]int{"a=b": 415, "": 200} {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/todo-hub/todos/T1/invalidate", io.MultiReader(strings.NewReader(body)))
			r.ContentLength = -1
			r.Header = http.Header{"Authorization": {"Bearer good"}, "Content-Type": {"application/x-www-form-urlencoded"}}
			w := httptest.NewRecorder()
			newFront(t).ServeHTTP(w, r)
			if w.Code != status {
				t.Errorf("%q: status %d, want %d", body, w.Code, status)
			}
		}
	})
}

func TestBodySize(t *testing.T) {
	const limit = 1000
	f := newFront(t, func(d *rest.Deps) { d.MaxBody = limit })
	for _, chunked := range []bool{false, true} {
		for size, status := range map[int]int{limit: 200, limit + 1: 413, 5 * limit: 413} {
			t.Run(fmt.Sprintf("%d chunked %t", size, chunked), func(t *testing.T) {
				body := "{" + strings.Repeat(" ", size-2) + "}"
				r := httptest.NewRequestWithContext(t.Context(), "POST", "/todo-hub/todos", strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer good")
				if chunked {
					r.ContentLength = -1
				}
				w := httptest.NewRecorder()
				f.ServeHTTP(w, r)
				if status == http.StatusOK && w.Code != status {
					t.Fatalf("status %d: %s", w.Code, w.Body)
				}
				if status != http.StatusOK {
					wantMessage(t, w, status, "the request body must be at most 1000 bytes")
				}
			})
		}
	}
}

// A body that never comes must not hold the connection, and the deadline must not outlive the body:
// it would cancel the next request on the connection.
func TestBodyDeadline(t *testing.T) {
	t.Parallel()
	const timeout = 500 * time.Millisecond // longer than a busy machine takes to read two bytes
	f := newFront(t, func(d *rest.Deps) { d.BodyTimeout = timeout })
	server := httptest.NewServer(f)
	defer server.Close()

	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const head = "POST /todo-hub/todos HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer good\r\nContent-Length: 2\r\n\r\n"
	if _, err := io.WriteString(conn, head+"{"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(got, []byte("HTTP/1.1 400 ")) || !bytes.Contains(got, []byte("the request body did not arrive")) {
		t.Errorf("answer %q", got)
	}

	// The call takes longer than the body may.
	cancelled := false
	f.hub.before = func(ctx context.Context) {
		select {
		case <-ctx.Done():
			cancelled = true
		case <-time.After(2 * timeout):
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/todo-hub/todos", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer good")
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if cancelled || response.StatusCode != http.StatusOK {
		t.Errorf("status %d, cancelled %t", response.StatusCode, cancelled)
	}
}
