package portal

import (
	"net/http"
	"testing"

	"example.com/hub/contract"
)

func extendedCases() []testCase {
	return []testCase{
		{"with a cursor words of status and type have any case", extendedCursor},
		{"with view=full words of status and type have any case", extendedView},
		{"view=full alone keeps the page of the contract", each(1, extendedPage)},
		{"an upsert with view=full takes its type in any case", extendedUpsert},
		{"another view is ignored and words are exact", each(0, extendedOther)},
		{"status all is for lists with a cursor", extendedAll},
	}
}

// anyCase asks both lists with words in other cases. Answers have upper case.
func anyCase(t *testing.T, s *contract.Session, more ...string) {
	t.Helper()
	todos, inbox := lists(s)[0], lists(s)[1]
	id := todos.add(t)
	inbox.add(t)
	for _, words := range [][]string{{"status", "open", "type", "handle"}, {"status", "Open", "type", "hAnDLE"}, {"status", "OPEN", "type", "HANDLE"}} {
		entries := todos.page(t, s, append(words, more...)...).entries
		want(t, "todos", entries, []entry{{ID: id, Type: "HANDLE", Status: "OPEN"}})
	}
	for word, n := range map[string]int{"unread": 1, "Unread": 1, "UNREAD": 1, "read": 0, "rEAD": 0} {
		entries := inbox.page(t, s, append([]string{"status", word}, more...)...).entries
		if len(entries) != n || n == 1 && entries[0].Status != "UNREAD" {
			t.Errorf("status=%s has %+v", word, entries)
		}
	}
	for _, word := range []string{"opened", "ope", "1", "ıopen", "todo_status_open"} {
		todos.get(t, s, append([]string{"status", word}, more...)...).Fails(t, http.StatusBadRequest)
		inbox.get(t, s, append([]string{"status", word}, more...)...).Fails(t, http.StatusBadRequest)
	}
}

func extendedCursor(t *testing.T, s *contract.Session) { anyCase(t, s, "cursor", "") }

func extendedView(t *testing.T, s *contract.Session) { anyCase(t, s, "view", "full") }

func extendedPage(t *testing.T, s *contract.Session, l list, ids []string) {
	p := l.page(t, s, "view", "full")
	if len(p.members) != 4 || string(p.members["totalCount"]) != "1" {
		t.Errorf("the page is %s", p.members)
	}
	want(t, "entries", p.ids(), ids)
}

func extendedUpsert(t *testing.T, s *contract.Session) {
	todos := lists(s)[0]
	body := map[string]any{
		"todoId": contract.Fresh("todo"), "type": "review", "sourceBizId": "1", "assigneeUsername": todos.filters.Get("assigneeUsername"),
		"title": "Read it", "category": "travel", "actionUrl": "/travel/1",
	}
	s.Call(t, http.MethodPost, todosPath, body, nil).Fails(t, http.StatusBadRequest)
	s.Call(t, http.MethodPost, todosPath+"?view=FULL", body, nil).Fails(t, http.StatusBadRequest)
	s.Call(t, http.MethodPost, todosPath+"?view=full", body, nil).OK(t)
	want(t, "stored", todos.page(t, s, "type", "REVIEW").entries, []entry{{ID: body["todoId"].(string), Type: "REVIEW", Status: "OPEN"}})
}

func extendedOther(t *testing.T, s *contract.Session, l list, _ []string) {
	word := map[string]string{"todos": "open", "inbox": "unread"}[l.name]
	for _, view := range []string{"", "FULL", "full ", "brief"} {
		l.get(t, s, "view", view, "status", word).Fails(t, http.StatusBadRequest)
	}
	l.get(t, s, "status", word).Fails(t, http.StatusBadRequest)
	l.get(t, s, "cursor", "x", "status", word).Fails(t, http.StatusBadRequest)
}

func extendedAll(t *testing.T, s *contract.Session) {
	todos, inbox := lists(s)[0], lists(s)[1]
	for _, more := range [][]string{nil, {"view", "full"}, {"cursor", "x"}} {
		todos.get(t, s, append([]string{"status", "all"}, more...)...).Fails(t, http.StatusBadRequest)
	}
	// The records of any status are those without the filter.
	inbox.get(t, s, "cursor", "", "status", "all").Fails(t, http.StatusBadRequest)
}
