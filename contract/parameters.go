package contract

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
)

func parameterCases() []testCase {
	return []testCase{
		settled("unknown query parameters are ignored", parameterUnknown),
		settled("parameter names are exact", parameterNames),
		settled("a repeated parameter is refused", parameterRepeated),
		settled("queries that cannot be read are refused", parameterBroken),
		settled("filters obey the rules of their fields", parameterValues),
		settled("a plus in a query is a blank and %2B a plus", parameterPlus),
		settled("parameters are not taken from a body", parameterBody),
	}
}

func parameterUnknown(t *testing.T, s *suite) {
	todo, message := newTodo(), newMessage()
	s.main.upsert(t, todo)
	s.main.push(t, message)
	extra := []string{"cursor", "x", "assigneeUserId", "y", "", "z", "page.size", "7", "sourceSystem", "nobody"}
	if got := s.main.todos(t, append([]string{"assigneeUsername", todo.user()}, extra...)...); len(got) != 1 {
		t.Errorf("todos: %d items, want 1", len(got))
	}
	if got := s.main.inbox(t, append([]string{"username", message.target()}, extra...)...); len(got) != 1 {
		t.Errorf("inbox: %d records, want 1", len(got))
	}
	if data := s.main.get(t, unreadPath+"?"+pairs(append([]string{"username", message.target()}, extra...))).ok(t); string(data) != "1" {
		t.Errorf("unread-count: %s, want 1", data)
	}
}

// The proto's own names are not the contract's.
func parameterNames(t *testing.T, s *suite) {
	message := newMessage()
	s.main.push(t, message)
	for _, name := range []string{"Username", "USERNAME", "user_name", "username[]"} {
		s.main.get(t, unreadPath+"?"+pairs([]string{name, message.target()})).failsNaming(t, "username")
	}
	got := s.main.inbox(t, "username", message.target(), "source_app_id", "nobody", "source_message_id", "nothing", "Status", "nonsense")
	if len(got) != 1 {
		t.Errorf("inbox: %d records, want 1", len(got))
	}
}

func parameterRepeated(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	message := newMessage()
	s.main.push(t, message)
	for name, path := range map[string]string{
		"assigneeUsername": todosPath + "?assigneeUsername=a&assigneeUsername=b",
		"status":           todosPath + "?status=OPEN&status=OPEN",
		"type":             todosPath + "?type=HANDLE&type=REVIEW",
		"username":         inboxPath + "?username=a&username=a",
		"sourceAppId":      inboxPath + "?username=a&sourceAppId=a&sourceAppId=b",
		"sourceMessageId":  inboxPath + "?username=a&sourceMessageId=a&sourceMessageId=",
	} {
		s.main.get(t, path).failsNaming(t, name)
	}
	s.main.get(t, unreadPath+"?username=a&username=b").failsNaming(t, "username")
	s.main.tryInvalidate(t, item.ID, url.Values{"reason": {"a", "b"}}).failsNaming(t, "reason")
	path := readPath(message.messageID(), "username", message.target(), "username", fresh("user"))
	s.main.send(t, request{method: http.MethodPost, path: path}).failsNaming(t, "username")
	s.main.unchanged(t, item)
	if m := s.main.record(t, message.target()); m.Status != "UNREAD" {
		t.Errorf("the record is %s", m.Status)
	}
}

func parameterBroken(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	for _, query := range []string{"username=%zz", "username=%", "username=%f", "username=a;status=READ", "username=%ff", "%ff=a&username=a", "username=a%c3%28"} {
		s.main.get(t, inboxPath+"?"+query).fails(t, http.StatusBadRequest)
	}
	for _, query := range []string{"reason=%zz", "reason=%ff", "reason=a;b"} {
		path := todoPath(item.ID, "invalidate") + "?" + query
		s.main.send(t, request{method: http.MethodPost, path: path}).fails(t, http.StatusBadRequest)
	}
	s.main.unchanged(t, item)
}

func parameterValues(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	for _, value := range []string{"a\x00b", "a\nb", "a\x1bb", "a\u0085b", longText(129)} {
		s.main.get(t, todosPath+"?"+pairs([]string{"assigneeUsername", value})).failsNaming(t, "assigneeUsername")
		s.main.get(t, inboxPath+"?"+pairs([]string{"username", value})).failsNaming(t, "username")
		s.main.get(t, unreadPath+"?"+pairs([]string{"username", value})).failsNaming(t, "username")
		s.main.send(t, request{method: http.MethodPost, path: readPath("m", "username", value)}).failsNaming(t, "username")
	}
	for _, name := range []string{"sourceAppId", "sourceMessageId"} {
		s.main.get(t, inboxPath+"?"+pairs([]string{"username", "a", name, "a\x00b"})).failsNaming(t, name)
	}
	for _, reason := range []string{"a\x00b", longText(1025)} {
		s.main.tryInvalidate(t, item.ID, url.Values{"reason": {reason}}).failsNaming(t, "reason")
	}
	s.main.unchanged(t, item)
	if got := s.main.invalidate(t, item.ID, longText(1024)); got.Reason != longText(1024) {
		t.Errorf("a reason of 1024 characters was stored as %d bytes", len(got.Reason))
	}
}

func parameterPlus(t *testing.T, s *suite) {
	user := fresh("user")
	blank, plus := newMessage(user+" x"), newMessage(user+"+x")
	s.main.push(t, blank)
	s.main.push(t, plus)
	for query, want := range map[string]fields{
		user + "+x":   blank,
		user + "%20x": blank,
		user + "%2Bx": plus,
		user + "%2bx": plus,
	} {
		got, _ := s.main.get(t, inboxPath+"?username="+query).messages(t)
		if !slices.Equal(messageIDs(got), []string{want.messageID()}) {
			t.Errorf("username=%s: the inbox is %q", query, messageIDs(got))
		}
	}
}

func parameterBody(t *testing.T, s *suite) {
	item := s.main.upsert(t, newTodo())
	body := []byte(`{"reason":"from the body"}`)
	a := s.main.send(t, request{method: http.MethodPost, path: todoPath(item.ID, "invalidate"), body: body})
	if got := a.todo(t); got.Reason != "" {
		t.Errorf("the reason is %q", got.Reason)
	}
}
