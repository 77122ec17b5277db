package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"example.com/hub/contract"
)

const (
	todosPath = "/todo-hub/todos"
	inboxPath = "/message-hub/inbox"
)

// list is one that both areas offer in the same way, of one user.
type list struct {
	name, path string
	// filters are those that a walk has in every call.
	filters url.Values
	// sorts are the fields by which it is walked, the default first.
	sorts []string
	// add stores an entry for the user and gives the id that the list shows.
	add func(t *testing.T) string
}

// lists are those of a user of whom nothing is stored yet.
func lists(s *contract.Session) []list {
	user := contract.Fresh("user")
	todos := list{
		name: "todos", path: todosPath, filters: url.Values{"assigneeUsername": {user}},
		sorts: []string{"modifyTime", "createTime", "id"},
		add:   func(t *testing.T) string { t.Helper(); return upsert(t, s, user, contract.Fresh("todo")) },
	}
	inbox := list{
		name: "inbox", path: inboxPath, filters: url.Values{"username": {user}},
		sorts: []string{"occurredAt", "createTime", "id"},
	}
	inbox.add = func(t *testing.T) string {
		t.Helper()
		id := contract.Fresh("message")
		push(t, s, user, id)
		found := inbox.page(t, s, "sourceMessageId", id).entries
		if len(found) != 1 {
			t.Fatalf("%d records of the message", len(found))
		}
		return found[0].ID
	}
	return []list{todos, inbox}
}

// upsert stores a todo of a user and gives its id.
func upsert(t *testing.T, s *contract.Session, user, id string) string {
	t.Helper()
	s.Call(t, http.MethodPost, todosPath, map[string]any{
		"todoId": id, "type": "HANDLE", "sourceBizId": "1", "assigneeUsername": user, "title": "Approve the travel",
		"category": "travel", "actionUrl": "/travel/1",
	}, nil).OK(t)
	return id
}

// push stores a message for a user.
func push(t *testing.T, s *contract.Session, user, id string) {
	t.Helper()
	s.Call(t, http.MethodPost, "/message-hub/messages", map[string]any{
		"sourceMessageId": id, "targetUsernames": []string{user}, "title": "Travel", "content": "Approved.",
	}, nil).OK(t)
}

// entry is what the cases look at in a record.
type entry struct {
	ID              string `json:"id"`
	Type            string `json:"type"`
	Status          string `json:"status"`
	SourceMessageID string `json:"sourceMessageId"`
}

// page is an answer of a list.
type page struct {
	entries []entry
	// members are those of the object page.
	members map[string]json.RawMessage
	size    int
	// next is the cursor of the next page; empty where it is null or none.
	next string
}

// get asks for a list with more parameters, given as names and values.
func (l list) get(t *testing.T, s *contract.Session, more ...string) contract.Answer {
	t.Helper()
	query := url.Values{}
	for name, values := range l.filters {
		query[name] = values
	}
	for i := 0; i < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return s.Call(t, http.MethodGet, l.path+"?"+query.Encode(), nil, nil)
}

// page demands a page of the list, in either form.
func (l list) page(t *testing.T, s *contract.Session, more ...string) page {
	t.Helper()
	a := l.get(t, s, more...)
	if a.Status != http.StatusOK {
		t.Fatalf("no page: %s", a)
	}
	var answer struct {
		Data  []entry                    `json:"data"`
		Page  map[string]json.RawMessage `json:"page"`
		Count int                        `json:"count"`
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil || answer.Count != len(answer.Data) {
		t.Fatalf("count %d of %d entries, %v: %s", answer.Count, len(answer.Data), err, a)
	}
	p := page{entries: answer.Data, members: answer.Page}
	for name, into := range map[string]any{"size": &p.size, "nextCursor": &p.next} {
		if raw, ok := answer.Page[name]; ok {
			if err := json.Unmarshal(raw, into); err != nil {
				t.Fatalf("%s: %v: %s", name, err, a)
			}
		}
	}
	return p
}

// walk goes through a list with a cursor and gives the pages.
func (l list) walk(t *testing.T, s *contract.Session, more ...string) (pages [][]string) {
	t.Helper()
	for cursor := ""; ; {
		p := l.page(t, s, append(slices.Clone(more), "cursor", cursor)...)
		pages = append(pages, p.ids())
		if cursor = p.next; cursor == "" {
			return pages
		}
	}
}

func (p page) ids() []string {
	var ids []string
	for _, e := range p.entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// each runs a case for both lists, with n entries that are stored one after the other.
func each(n int, run func(t *testing.T, s *contract.Session, l list, ids []string)) func(*testing.T, *contract.Session) {
	return func(t *testing.T, s *contract.Session) {
		for _, l := range lists(s) {
			t.Run(l.name, func(t *testing.T) {
				var ids []string
				for range n {
					ids = append(ids, l.add(t))
				}
				run(t, s, l, ids)
			})
		}
	}
}

// orders are all orders in which the list can be walked.
func (l list) orders() (sorts []string) {
	for _, field := range l.sorts {
		for _, direction := range []string{"asc", "desc"} {
			sorts = append(sorts, fmt.Sprintf("%s,%s", field, direction))
		}
	}
	return sorts
}
