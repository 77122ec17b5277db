package contract

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func envelopeCases() []testCase {
	return []testCase{
		stated("a success has code 0 as a string, msg and data", envelopeSuccess),
		stated("a paged success adds page and count and data is an array", envelopePaged),
		stated("a failure has code -1, msg and data null", envelopeFailure),
		stated("push and mark read answer data null", envelopeNull),
		settled("an empty list is an empty array", envelopeEmptyList),
		settled("count is the number of entries in data", envelopeCount),
		settled("the unknown path is answered with the envelope", envelopeUnknownPath),
		settled("answers are not sniffed and not stored", envelopeHeaders),
		settled("markup is escaped in the JSON", envelopeEscapes),
		settled("the OpenAPI document names every path and method", envelopeDocument),
	}
}

func envelopeSuccess(t *testing.T, s *suite) {
	a := s.main.post(t, todosPath, newTodo())
	entries, err := objectEntries(a.data)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 3 || string(entries["code"]) != `"0"` {
		t.Errorf("the envelope is %s", a)
	}
	a.todo(t)
}

func envelopePaged(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	for _, path := range []string{
		todosPath + "?" + pairs([]string{"assigneeUsername", item.AssigneeUsername}),
		inboxPath + "?" + pairs([]string{"username", item.AssigneeUsername}),
	} {
		a := s.main.get(t, path)
		entries, err := objectEntries(a.data)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 5 || !bytes.HasPrefix(entries["data"], []byte("[")) {
			t.Errorf("the envelope is %s", a)
		}
		a.page(t)
	}
}

func envelopeFailure(t *testing.T, s *suite) {
	a := s.main.post(t, todosPath, newTodo().without("title"))
	a.fails(t, http.StatusBadRequest)
	entries, err := objectEntries(a.data)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 3 || string(entries["code"]) != `"-1"` || string(entries["data"]) != "null" {
		t.Errorf("the envelope is %s", a)
	}
}

func envelopeNull(t *testing.T, s *suite) {
	m := newMessage()
	s.main.post(t, messagesPath, m).okNull(t)
	s.main.markRead(t, m.messageID(), m.target())
}

func envelopeEmptyList(t *testing.T, s *suite) {
	for _, path := range []string{
		todosPath + "?" + pairs([]string{"assigneeUsername", fresh("nobody")}),
		inboxPath + "?" + pairs([]string{"username", fresh("nobody")}),
	} {
		a := s.main.get(t, path)
		if list := a.page(t); list.Data == nil || len(list.Data) != 0 {
			t.Errorf("data is not an empty array: %s", a)
		}
	}
}

func envelopeCount(t *testing.T, s *suite) {
	user := fresh("user")
	for range 3 {
		s.main.upsert(t, newTodo().with("assigneeUsername", user))
	}
	list := s.main.get(t, todosPath+"?"+pairs([]string{"assigneeUsername", user, "size", "2", "page", "1"})).page(t)
	if list.Count != 1 || list.Page.TotalCount != 3 {
		t.Errorf("count is %d and totalCount %d on the last page of 3 records, want 1 and 3", list.Count, list.Page.TotalCount)
	}
}

func envelopeUnknownPath(t *testing.T, s *suite) {
	for _, path := range []string{"/", "/todo-hub", "/todo-hub/todo", "/message-hub/" + fresh("x"), "/favicon.ico"} {
		s.main.get(t, path).fails(t, http.StatusNotFound)
	}
}

func envelopeHeaders(t *testing.T, s *suite) {
	for _, a := range []answer{
		s.main.post(t, todosPath, newTodo()),
		s.main.post(t, todosPath, fields{}),
		s.main.get(t, inboxPath+"?"+pairs([]string{"username", fresh("user")})),
		s.main.get(t, "/nothing-here"),
	} {
		if got := a.got.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("X-Content-Type-Options is %q: %s", got, a)
		}
		if got := a.got.Get("Cache-Control"); !strings.Contains(got, "no-store") {
			t.Errorf("Cache-Control is %q: %s", got, a)
		}
	}
}

func envelopeEscapes(t *testing.T, s *suite) {
	const title = `<script>alert("1 & 2")</script>`
	a := s.main.post(t, todosPath, newTodo().with("title", title))
	if item := a.todo(t); item.Title != title {
		t.Errorf("the title is %q", item.Title)
	}
	if bytes.ContainsAny(a.data, "<>&") {
		t.Errorf("the answer has raw markup: %s", a)
	}
	// A message may quote what came in.
	a = s.main.get(t, todosPath+"?"+pairs([]string{"status", "<b>&"}))
	a.fails(t, http.StatusBadRequest)
	if bytes.ContainsAny(a.data, "<>&") {
		t.Errorf("the answer has raw markup: %s", a)
	}
}

func envelopeDocument(t *testing.T, s *suite) {
	for _, r := range s.routes() {
		if s.api.operation(r.method, r.path) == nil {
			t.Errorf("the OpenAPI document lacks %s %s", r.method, r.path)
		}
	}
	if s.api.operation(http.MethodPost, DefaultTokenPath) == nil {
		t.Errorf("the OpenAPI document lacks POST %s", DefaultTokenPath)
	}
	if text, err := json.Marshal(s.api.doc.Components); err != nil || len(text) < 3 {
		t.Errorf("the OpenAPI document describes no schemas")
	}
}
