package contract

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func pathCases() []testCase {
	return []testCase{
		settled("every valid todo id is addressable when percent-encoded", pathsTodo),
		settled("every valid message id is addressable when percent-encoded", pathsMessage),
		settled("paths are decoded exactly once", pathsOnce),
		settled("a path may be encoded more than it needs", pathsFully),
		settled("ids are compared byte by byte", pathsBytewise),
		settled("an empty id is not found or refused", pathsEmpty),
		settled("the ids . and .. in a path are refused and never resolved", pathsDots),
		settled("ids that no call could store are refused", pathsBadIDs),
		settled("paths are exact and never redirected", pathsExact),
		settled("bytes that are not UTF-8 are refused", pathsInvalid),
		settled("what the HTTP server refuses itself is a 4xx", pathsRefused),
	}
}

// awkwardIDs are valid ids that a careless router breaks; each has a fresh part.
func awkwardIDs() []string {
	ids := []string{
		"a/b", "/lead", "trail/", "//", "a//b", "a/./b", "a/../b", "../x", "x/..", "/", "a b", " lead", "trail ", "100%", "%", "%2F", "a%2Fb", "a%252Fb",
		"%41", "%zz", "a+b", "+", "a:b", ":clear", "x:y:z", "a?b", "?", "a#b", "#", "a&b=c", "a;b", "a=b", "a,b", "(a)", "a'b", `a"b`, `a\b`, "<a>", "{id}",
		"*", "**", "~", "clear", "x/clear", "/clear", "x/invalidate", "x/read", "todos", "...", ".x", "é", "e\u0301", "日本語", "😀", "\u202ex", "\u2028",
		"null", "-1", "0", "@", "$", "!", "|", "^", "`", "[x]", "a\u00a0b",
	}
	for i, id := range ids {
		// Half of the ids start with the odd part and half end with it.
		if i%2 == 0 {
			ids[i] = id + fresh("")
		} else {
			ids[i] = fresh("") + id
		}
	}
	return ids
}

func pathsTodo(t *testing.T, s *suite) {
	for _, id := range awkwardIDs() {
		s.main.upsert(t, newTodo().with("todoId", id))
		a := s.main.post(t, todoPath(id, "clear"), fields{"result": "done"})
		if a.status != http.StatusOK {
			t.Errorf("%q cannot be cleared: %s", id, a)
			continue
		}
		if item := a.todo(t); item.ID != id {
			t.Errorf("clear of %q went to %q", id, item.ID)
		}

		id += "2"
		s.main.upsert(t, newTodo().with("todoId", id))
		if a = s.main.tryInvalidate(t, id, nil); a.status != http.StatusOK {
			t.Errorf("%q cannot be invalidated: %s", id, a)
			continue
		}
		if item := a.todo(t); item.ID != id {
			t.Errorf("invalidate of %q went to %q", id, item.ID)
		}
	}
}

func pathsMessage(t *testing.T, s *suite) {
	for _, id := range awkwardIDs() {
		body := newMessage().with("sourceMessageId", id)
		s.main.push(t, body)
		a := s.main.send(t, request{method: http.MethodPost, path: readPath(id, "username", body.target())})
		if a.status != http.StatusOK {
			t.Errorf("%q cannot be marked read: %s", id, a)
			continue
		}
		if m := s.main.record(t, body.target()); m.Status != "READ" || m.SourceMessageID != id {
			t.Errorf("%q: the record %q is %s", id, m.SourceMessageID, m.Status)
		}
	}
}

// Decoded twice, the literal id would be taken for the plain one.
func pathsOnce(t *testing.T, s *suite) {
	for literal, plain := range map[string]string{"%2F": "/", "%20": " ", "%25": "%", "%41": "A", "%2B": "+", "%252F": "%2F"} {
		start := fresh("once")
		encoded, decoded := newTodo().with("todoId", start+literal), newTodo().with("todoId", start+plain)
		s.main.upsert(t, encoded)
		bystander := s.main.upsert(t, decoded)
		path := todosPath + "/" + start + strings.ReplaceAll(literal, "%", "%25") + "/clear"
		if item := s.main.post(t, path, fields{"result": "done"}).todo(t); item.ID != encoded.id() {
			t.Errorf("%s went to %q, want %q", path, item.ID, encoded.id())
		}
		s.main.unchanged(t, bystander)
	}
	// A plus in a path is a plus.
	plus := s.main.upsert(t, newTodo().with("todoId", fresh("plus")+"+x"))
	if item := s.main.post(t, todosPath+"/"+plus.ID+"/clear", fields{"result": "done"}).todo(t); item.ID != plus.ID {
		t.Errorf("clear went to %q, want %q", item.ID, plus.ID)
	}
}

func pathsFully(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo().with("todoId", fresh("é/ ")+"+%"))
	for _, form := range []string{"%%%02X", "%%%02x"} {
		var encoded strings.Builder
		for _, c := range []byte(item.ID) {
			fmt.Fprintf(&encoded, form, c)
		}
		if got := s.main.post(t, todosPath+"/"+encoded.String()+"/clear", fields{"result": "done"}).todo(t); got.ID != item.ID {
			t.Errorf("clear went to %q, want %q", got.ID, item.ID)
		}
	}
}

func pathsBytewise(t *testing.T, s *suite) {
	for _, pair := range distinctTwins() {
		start := fresh("id")
		first, second := newTodo().with("todoId", start+pair[0]), newTodo().with("todoId", start+pair[1])
		s.main.upsert(t, first)
		bystander := s.main.upsert(t, second)
		if item := s.main.clear(t, first.id(), fields{"result": "done"}); item.ID != first.id() {
			t.Errorf("clear of %q went to %q", first.id(), item.ID)
		}
		s.main.unchanged(t, bystander)
	}
}

// refused demands a 400 or a 404 in an envelope.
func (a answer) refused(t *testing.T) {
	t.Helper()
	if a.status == a.s.failureStatus(http.StatusBadRequest) {
		a.fails(t, http.StatusBadRequest)
		return
	}
	a.fails(t, http.StatusNotFound)
}

func pathsEmpty(t *testing.T, s *suite) {
	for _, path := range []string{todosPath + "//clear", todosPath + "//invalidate", messagesPath + "//read?username=x", todosPath + "/%20/invalidate"} {
		s.main.rawLine(t, http.MethodPost, path).refused(t)
	}
}

func pathsDots(t *testing.T, s *suite) {
	for _, id := range []string{".", "..", "%2e", "%2E%2e", ".%2e"} {
		s.main.rawLine(t, http.MethodPost, todosPath+"/"+id+"/invalidate").refused(t)
		s.main.rawLine(t, http.MethodPost, messagesPath+"/"+id+"/read?username=x").refused(t)
	}
	for _, path := range []string{"/todo-hub/../message-hub/inbox?username=x", "/todo-hub/./todos", "/x/../todo-hub/todos", "/todo-hub/%2e%2e/todo-hub/todos"} {
		s.main.rawLine(t, http.MethodGet, path).fails(t, http.StatusNotFound)
	}
}

func pathsBadIDs(t *testing.T, s *suite) {
	for _, id := range []string{"a%00b", "%00", "a%0ab", "a%0d", "%7f", "a%c2%85b", url.PathEscape(longText(256))} {
		s.main.send(t, request{method: http.MethodPost, path: todosPath + "/" + id + "/invalidate"}).fails(t, http.StatusBadRequest)
		s.main.post(t, todosPath+"/"+id+"/clear", fields{"result": "done"}).fails(t, http.StatusBadRequest)
		s.main.send(t, request{method: http.MethodPost, path: messagesPath + "/" + id + "/read?username=x"}).fails(t, http.StatusBadRequest)
	}
}

func pathsExact(t *testing.T, s *suite) {
	for _, path := range []string{
		"//todo-hub/todos", "/todo-hub//todos", "/todo-hub/todos/", "/Todo-Hub/todos", "/todo-hub/TODOS", "/todo-hub%2Ftodos", "/todo-hub/todos/x",
		"/message-hub/inbox/", "//message-hub/inbox", "/message-hub/inbox/x", "/message-hub/unread-count/", "/message-hub/stream/?user=x",
		"/message-hub/messages/x", "/hub.todo.v1.TodoService/ListTodos", "/openapi.yaml/", "/todo-hub/todos%20", "/todo-hub/todos;x=1",
	} {
		s.main.rawLine(t, http.MethodGet, path).fails(t, http.StatusNotFound)
	}
	for _, path := range []string{
		"/todo-hub/todos/", "/todo-hub/todos/x/clear/", "/todo-hub/todos/x/clear/y", "/todo-hub/todos/x", "/todo-hub/todos/x/close", "/todo-hub/todos/x/Clear",
		"/message-hub/messages/", "/message-hub/messages/x/unread", "/message-hub/messages/x/y/read?username=z", "/todo-hub/todos/a/b/clear", "/todo-hub/todos:clear",
	} {
		s.main.rawLine(t, http.MethodPost, path).fails(t, http.StatusNotFound)
	}
}

func pathsInvalid(t *testing.T, s *suite) {
	for _, id := range []string{"%ff", "a%c3", "%c0%af", "%ed%a0%80"} {
		s.main.rawLine(t, http.MethodPost, todosPath+"/"+id+"/invalidate").fails(t, http.StatusBadRequest)
		s.main.rawLine(t, http.MethodPost, messagesPath+"/"+id+"/read?username=x").fails(t, http.StatusBadRequest)
	}
	s.main.rawLine(t, http.MethodGet, "/%ff").refused(t)
	s.main.rawLine(t, http.MethodGet, "/todo-hub/%ff").refused(t)
}

func pathsRefused(t *testing.T, s *suite) {
	for _, path := range []string{todosPath + "/%zz/invalidate", todosPath + "/%/invalidate", todosPath + "/a%2/clear"} {
		if a := s.main.rawLine(t, http.MethodPost, path); a.status != http.StatusBadRequest {
			t.Errorf("the status is not 400: %s", a)
		}
	}
	for _, head := range []string{
		"GET " + todosPath + " HTTP/1.1\r\nConnection: close\r\n\r\n",
		"GET " + todosPath + " HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
		"GET " + todosPath + " HTTP/9.9\r\nHost: a\r\nConnection: close\r\n\r\n",
		"POST " + todosPath + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: foo\r\nConnection: close\r\n\r\n",
		"POST " + todosPath + " HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\nConnection: close\r\n\r\n",
		"GARBAGE\r\n\r\n",
	} {
		a := s.raw(t, http.MethodGet, strings.NewReader(head))
		if a.status < http.StatusBadRequest {
			t.Errorf("%q was answered with %d", head, a.status)
		}
	}
}
