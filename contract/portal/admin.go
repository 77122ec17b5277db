package portal

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/contract"
)

func adminCases() []peopleCase {
	return []peopleCase{
		{"an administrator lists the todos of all users, the last change first", adminTodos},
		{"an administrator lists the inboxes of all users, the last occurrence first", adminInbox},
		{"filters of todos are ANDed", adminTodoFilters},
		{"filters of inboxes are ANDed", adminInboxFilters},
		{"the pages together are the list", adminPages},
		{"a list has a cursor and no pages by numbers", adminCursor},
		{"a cursor of another list, filter or user is refused", adminCursors},
		{"items are extended and words have any case", adminExtended},
		{"an administrator clears any todo and is who cleared it", adminClear},
		{"a clear of a finished or unknown todo is answered as a client's", adminClearAgain},
		{"an administrator marks a message of any user as read, and her stream tells", adminRead},
		{"a read names its user by username or userId", adminReadNames},
		{"the paths below /portal/admin are the same", adminPortal},
		{"a session is as good as a token", adminSession},
		{"whoever is no administrator is refused", adminOthers},
	}
}

const (
	adminTodosPath    = "/admin/todo-hub/todos"
	adminInboxPath    = "/admin/message-hub/inbox"
	adminMessagesPath = "/admin/message-hub/messages"
)

// asAdmin makes a call of the administrator.
func (st *stage) asAdmin(t *testing.T, method, path, body string) reply {
	t.Helper()
	header := st.bearer(t, st.carla)
	if body != "" {
		header["Content-Type"] = []string{"application/json"}
	}
	return st.ask(t, method, path, header, body)
}

// adminPage demands a page of a list of administrators.
func (st *stage) adminPage(t *testing.T, path string, filters ...string) page {
	t.Helper()
	query := url.Values{}
	for i := 0; i < len(filters); i += 2 {
		query.Set(filters[i], filters[i+1])
	}
	r := st.asAdmin(t, http.MethodGet, path+"?"+query.Encode(), "")
	r.data(t)
	var answer struct {
		Data []entry
		Page map[string]json.RawMessage
	}
	if err := json.Unmarshal(r.body, &answer); err != nil {
		t.Fatalf("%v: %s", err, r)
	}
	p := page{entries: answer.Data, members: answer.Page}
	if err := json.Unmarshal(answer.Page["nextCursor"], &p.next); err != nil {
		t.Fatalf("nextCursor: %v: %s", err, r)
	}
	return p
}

func (p page) messageIDs() (ids []string) {
	for _, e := range p.entries {
		ids = append(ids, e.SourceMessageID)
	}
	return ids
}

// two are fresh users, with three things each in turns, the newest first.
func (st *stage) two(t *testing.T, add func(user, id string)) (one, other string, ids []string) {
	t.Helper()
	one, other = contract.Fresh("user"), contract.Fresh("user")
	for range 3 {
		for _, user := range []string{one, other} {
			id := contract.Fresh("thing")
			add(user, id)
			ids = slices.Insert(ids, 0, id)
		}
	}
	return one, other, ids
}

// among walks a list of everybody's things until it has come to all ids, which it gives in the list's order:
// others are busy, too.
func (st *stage) among(t *testing.T, path string, ids []string, of func(page) []string) (found []string) {
	t.Helper()
	for cursor := ""; len(found) < len(ids); {
		p := st.adminPage(t, path, "size", "200", "cursor", cursor)
		for _, id := range of(p) {
			if slices.Contains(ids, id) {
				found = append(found, id)
			}
		}
		if cursor = p.next; cursor == "" {
			break
		}
	}
	return found
}

func adminTodos(t *testing.T, st *stage) {
	_, _, ids := st.two(t, func(user, id string) { upsert(t, st.Session, user, id) })
	found := st.among(t, adminTodosPath, ids, page.ids)
	want(t, "todos", strings.Join(found, " "), strings.Join(ids, " "))
}

func adminInbox(t *testing.T, st *stage) {
	occurred := time.Date(2100+rand.IntN(1000), 1, 1, 0, 0, 0, 0, time.UTC) // ahead of what others push
	_, _, ids := st.two(t, func(user, id string) {
		occurred = occurred.Add(time.Second)
		st.Call(t, http.MethodPost, pushPath, object{
			"sourceMessageId": id, "targetUsernames": []string{user}, "title": "Travel", "content": "Approved.",
			"occurredAt": occurred.Format(time.RFC3339),
		}, nil).OK(t)
	})
	found := st.among(t, adminInboxPath, ids, page.messageIDs)
	want(t, "messages", strings.Join(found, " "), strings.Join(ids, " "))
}

func adminTodoFilters(t *testing.T, st *stage) {
	user := contract.Fresh("user")
	handle := upsert(t, st.Session, user, contract.Fresh("todo"))
	body := todoBody(user).with("type", "REVIEW")
	review := body["todoId"].(string)
	st.Call(t, http.MethodPost, todosPath, body, nil).OK(t)
	done := upsert(t, st.Session, user, contract.Fresh("todo"))
	st.Call(t, http.MethodPost, todosPath+"/"+done+"/clear", object{"result": "done"}, nil).OK(t)
	source := decode[map[string]any](t, st.asAdmin(t, http.MethodPost, adminTodosPath+"/"+done+"/clear", `{"result":"x"}`).data(t))["sourceSystem"].(string)
	for _, tt := range []struct {
		filters []string
		want    string
	}{
		{nil, review + " " + handle}, // OPEN, and both types
		{[]string{"type", "HANDLE"}, handle},
		{[]string{"type", "REVIEW", "status", "OPEN"}, review},
		{[]string{"status", "CLEARED"}, done},
		{[]string{"status", "all", "type", "HANDLE"}, done + " " + handle},
		{[]string{"sourceSystem", source}, review + " " + handle},
		{[]string{"sourceSystem", contract.Fresh("system")}, ""},
		{[]string{"status", "INVALID"}, ""},
	} {
		found := st.adminPage(t, adminTodosPath, append(tt.filters, "userId", user)...)
		want(t, strings.Join(tt.filters, " "), strings.Join(found.ids(), " "), tt.want)
	}
	want(t, "of nobody", len(st.adminPage(t, adminTodosPath, "userId", contract.Fresh("nobody")).entries), 0)
}

func adminInboxFilters(t *testing.T, st *stage) {
	user := contract.Fresh("user")
	old, fresh := pushTo(t, st.Session, user), pushTo(t, st.Session, user)
	st.Call(t, http.MethodPost, "/message-hub/messages/"+old+"/read?username="+user, nil, nil).OK(t)
	for _, tt := range []struct {
		filters []string
		want    string
	}{
		{nil, fresh + " " + old},
		{[]string{"status", "UNREAD"}, fresh},
		{[]string{"status", "READ"}, old},
		{[]string{"sourceAppId", contract.Fresh("app")}, ""},
	} {
		found := st.adminPage(t, adminInboxPath, append(tt.filters, "userId", user)...)
		want(t, strings.Join(tt.filters, " "), strings.Join(found.messageIDs(), " "), tt.want)
	}
}

func adminPages(t *testing.T, st *stage) {
	one, _, todos := st.two(t, func(user, id string) { upsert(t, st.Session, user, id) })
	another, _, messages := st.two(t, func(user, id string) { push(t, st.Session, user, id) })
	for _, l := range []struct {
		path, user string
		ids        func(page) []string
		all        []string
	}{{adminTodosPath, one, page.ids, todos}, {adminInboxPath, another, page.messageIDs, messages}} {
		var hers, walked []string
		for i := 1; i < len(l.all); i += 2 { // the other user's are in between
			hers = append(hers, l.all[i])
		}
		for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
			p := st.adminPage(t, l.path, "userId", l.user, "size", "2", "cursor", cursor)
			walked, cursor = append(walked, l.ids(p)...), p.next
		}
		want(t, l.path, strings.Join(walked, " "), strings.Join(hers, " "))
	}
}

func adminCursor(t *testing.T, st *stage) {
	for _, path := range []string{adminTodosPath, adminInboxPath} {
		for _, filters := range [][]string{nil, {"cursor", ""}, {"page", ""}} {
			p := st.adminPage(t, path, filters...)
			if len(p.members) != 2 || p.members["size"] == nil {
				t.Errorf("the page is %s", p.members)
			}
		}
		for _, query := range []string{"page=0", "page=1&cursor=", "size=0", "cursor=other", "cursor=&cursor=", "status=x", "cursor=c1." + strings.Repeat("A", 2048)} {
			st.asAdmin(t, http.MethodGet, path+"?"+query, "").fails(t, http.StatusBadRequest)
		}
	}
}

func adminCursors(t *testing.T, st *stage) {
	one, other, _ := st.two(t, func(user, id string) { upsert(t, st.Session, user, id); push(t, st.Session, user, id) })
	for path, another := range map[string]string{adminTodosPath: adminInboxPath, adminInboxPath: adminTodosPath} {
		next := url.QueryEscape(st.adminPage(t, path, "userId", one, "size", "1").next)
		for _, list := range []string{
			another + "?userId=" + one, path + "?userId=" + other, path + "?",
			path + "?sourceSystem=x&sourceAppId=x&userId=" + one, "/portal/admin/todos?userId=" + other,
		} {
			st.asAdmin(t, http.MethodGet, list+"&cursor="+next, "").fails(t, http.StatusBadRequest)
		}
	}
}

func adminExtended(t *testing.T, st *stage) {
	user := contract.Fresh("user")
	st.Call(t, http.MethodPost, todosPath, draftBody(user), nil).OK(t)
	for view, payload := range map[string]string{"": "null", "full": `{"amount":7}`} {
		r := st.asAdmin(t, http.MethodGet, adminTodosPath+"?status=open&type=handle&view="+view+"&userId="+user, "")
		item := decode[[]map[string]json.RawMessage](t, r.data(t))[0]
		want(t, "actionAppId", string(item["actionAppId"]), `"app/1"`)
		want(t, "payload", string(item["payload"]), payload)
	}
}
