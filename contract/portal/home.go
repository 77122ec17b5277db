package portal

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/hub/contract"
)

func homeCases() []peopleCase {
	return []peopleCase{
		{"list chooses one of her four lists of todos", homeLists},
		{"the lists are walked by cursors", homeWalk},
		{"todos have all fields", homeExtended},
		{"an unknown list and what is no cursor are refused", homeRefused},
		{"her messages have a status in any case and a watermark", homeMessages},
		{"she marks a message of hers as read, and all", homeRead},
		{"the home page has what a portal shows first", homeParts},
		{"the home page has the first five of each list", homeFive},
		{"her permissions are named, sorted", homePermissions},
		{"the paths of the portal are for people alone", homeOthers},
	}
}

// homePage is what GET /portal/home answers.
type homePage struct {
	Counts          map[string]int
	Todos, Messages []entry
	Unavailable     []string
}

func homeLists(t *testing.T, st *stage) {
	add := func(user, kind string, cleared bool) string {
		body := todoBody(user).with("type", kind)
		id := body["todoId"].(string)
		change(t, st.Session, "", body)
		if cleared {
			finish(t, st.Session, id, "clear")
		}
		return id
	}
	for list, tt := range map[string]struct {
		kind    string
		cleared bool
	}{
		"toHandle": {"HANDLE", false}, "toRead": {"REVIEW", false}, "done": {"HANDLE", true}, "read": {"REVIEW", true},
	} {
		hers := add(st.amy, tt.kind, tt.cleared)
		others := add(st.ben, tt.kind, tt.cleared)
		query := "?list=" + list
		if list == "toHandle" {
			query = ""
		}
		page := st.hers.get(t, "/portal/todos"+query)
		todos := decode[[]entry](t, page.data(t))
		if len(todos) == 0 || todos[0].ID != hers || todos[0].Type != tt.kind || strings.Contains(string(page.body), others) {
			t.Errorf("%s begins with %+v, want %s", list, todos[:min(1, len(todos))], hers)
		}
	}
}

// walkPages gives the ids of a list from its start, page by page, until there are some.
func (st *stage) walkPages(t *testing.T, path string, some int) (ids []string) {
	t.Helper()
	cursor := ""
	for len(ids) < some {
		r := st.hers.get(t, path+"&cursor="+url.QueryEscape(cursor))
		for _, e := range decode[[]entry](t, r.data(t)) {
			ids = append(ids, e.ID)
		}
		var answer struct {
			Page struct {
				Size       int
				NextCursor *string
			}
			Count int
		}
		if err := json.Unmarshal(r.body, &answer); err != nil || answer.Page.Size != 2 {
			t.Fatalf("%v: %s", err, r)
		}
		if answer.Page.NextCursor == nil {
			break
		}
		cursor = *answer.Page.NextCursor
	}
	return ids
}

func homeWalk(t *testing.T, st *stage) {
	var todos []string
	for range 5 {
		todos = append(todos, upsert(t, st.Session, st.amy, contract.Fresh("todo")))
		st.push(t, st.amy)
	}
	want(t, "todos", st.walkPages(t, "/portal/todos?size=2", 5)[:5], backwards(todos))
	var inbox []string
	for _, e := range decode[[]entry](t, st.hers.get(t, "/message-hub/inbox?size=5").data(t)) {
		inbox = append(inbox, e.ID)
	}
	want(t, "messages", st.walkPages(t, "/portal/messages?size=2", 5)[:5], inbox)
}

func homeExtended(t *testing.T, st *stage) {
	change(t, st.Session, "", draftBody(st.amy))
	first := decode[[]map[string]any](t, st.hers.get(t, "/portal/todos").data(t))[0]
	if first["actionAppId"] != "app/1" || first["eventCenterRef"] != "ref 1" || first["sourceVersion"] != 7.0 {
		t.Errorf("the todo is %v", first)
	}
}

func homeRefused(t *testing.T, st *stage) {
	for _, query := range []string{"list=x", "list=todone", "list=DONE", "list=done&list=done"} {
		if msg := st.hers.get(t, "/portal/todos?"+query).fails(t, http.StatusBadRequest); !strings.HasPrefix(msg, "list ") {
			t.Errorf("the message is %q", msg)
		}
	}
	for _, path := range []string{"/portal/todos", "/portal/messages"} {
		for _, cursor := range []string{"x", "c1.x", "C1.", "1"} {
			want(t, "the message", st.hers.get(t, path+"?cursor="+cursor).fails(t, http.StatusBadRequest), "cursor is not valid for this list")
		}
		st.hers.get(t, path+"?size=0").fails(t, http.StatusBadRequest)
	}
	st.hers.get(t, "/portal/messages?status=x").fails(t, http.StatusBadRequest)
}

func homeMessages(t *testing.T, st *stage) {
	hers, others := st.push(t, st.amy), st.push(t, st.ben)
	for _, status := range []string{"", "?status=UNREAD", "?status=unread"} {
		r := st.hers.get(t, "/portal/messages"+status)
		first := decode[[]entry](t, r.data(t))[0]
		var answer struct{ Page struct{ Watermark string } }
		if err := json.Unmarshal(r.body, &answer); err != nil || answer.Page.Watermark == "" {
			t.Errorf("no watermark: %s", r)
		}
		if first.SourceMessageID != hers || first.Status != "UNREAD" || strings.Contains(string(r.body), others) {
			t.Errorf("the first message is %+v, want %s", first, hers)
		}
	}
}

func homeRead(t *testing.T, st *stage) {
	message, others := st.push(t, st.amy), st.unread(t, st.ben)
	st.hers.post(t, "/portal/messages/"+message+"/read").data(t)
	if first := decode[[]entry](t, st.hers.get(t, "/portal/messages?status=Read").data(t)); len(first) == 0 {
		t.Error("no message is read")
	}
	st.hers.post(t, "/portal/messages/"+message+"/read?username="+st.ben).fails(t, http.StatusForbidden)
	st.push(t, st.amy)
	var answer struct{ Page struct{ Watermark string } }
	if err := json.Unmarshal(st.hers.get(t, "/portal/messages").body, &answer); err != nil {
		t.Fatal(err)
	}
	asJSON := with(ownPage, "Content-Type", "application/json")
	r := st.hers.send(t, http.MethodPost, "/portal/messages/read-all", asJSON, fmt.Sprintf(`{"upTo":%q}`, answer.Page.Watermark))
	if switched := decode[map[string]int](t, r.data(t))["switched"]; switched == 0 || st.unread(t, st.amy) != "0" || st.unread(t, st.ben) != others {
		t.Errorf("%d became read, and %s are unread", switched, st.unread(t, st.amy))
	}
	st.hers.send(t, http.MethodPost, "/portal/messages/read-all", asJSON, `{"upTo":"x"}`).fails(t, http.StatusBadRequest)
}

// home asks for the home page until no part of it is missing, ten times at most: on a busy machine one may take
// longer than the second for which it is waited.
func home(t *testing.T, ask func(*testing.T, string) reply) (r reply) {
	t.Helper()
	for range 10 {
		if r = ask(t, "/portal/home"); strings.Contains(string(r.body), `"unavailable":[]`) {
			break
		}
	}
	return r
}

func homeParts(t *testing.T, st *stage) {
	st.push(t, st.amy)
	byToken := func(t *testing.T, path string) reply {
		t.Helper()
		return st.ask(t, http.MethodGet, path, st.bearer(t, st.amy), "")
	}
	for what, r := range map[string]reply{"session": home(t, st.hers.get), "token": home(t, byToken)} {
		members := decode[map[string]json.RawMessage](t, r.data(t))
		names := []string{"apps", "counts", "messages", "news", "notices", "todos", "unavailable"}
		if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, names) || string(members["unavailable"]) != "[]" {
			t.Errorf("by %s: the members are %q, want %q: %s", what, got, names, r)
		}
		if counts := st.hers.get(t, "/counts").data(t); string(members["counts"]) != string(counts) {
			t.Errorf("by %s: the counts are %s, want %s", what, members["counts"], counts)
		}
	}
}

func homeFive(t *testing.T, st *stage) {
	for range 6 {
		upsert(t, st.Session, st.amy, contract.Fresh("todo"))
		st.push(t, st.amy)
	}
	page := decode[homePage](t, home(t, st.hers.get).data(t))
	want(t, "todos", page.Todos, decode[[]entry](t, st.hers.get(t, "/portal/todos?size=5").data(t)))
	want(t, "messages", page.Messages, decode[[]entry](t, st.hers.get(t, "/portal/messages?size=5").data(t)))
	if len(page.Todos) != 5 || len(page.Messages) != 5 {
		t.Errorf("%d todos and %d messages", len(page.Todos), len(page.Messages))
	}
}

func homePermissions(t *testing.T, st *stage) {
	names := decode[[]string](t, st.hers.get(t, "/portal/admin/permissions").data(t))
	me := decode[struct{ Permissions []string }](t, st.hers.get(t, "/portal/me").data(t))
	if names == nil || !slices.IsSorted(names) || !slices.Equal(names, me.Permissions) {
		t.Errorf("the permissions are %q, want %q", names, me.Permissions)
	}
}

func homeOthers(t *testing.T, st *stage) {
	before := st.unread(t, st.amy)
	for path, method := range map[string]string{
		"/portal/home": http.MethodGet, "/portal/todos": http.MethodGet, "/portal/messages": http.MethodGet, "/portal/admin/permissions": http.MethodGet,
		"/portal/messages/" + st.push(t, st.ben) + "/read": http.MethodPost, "/portal/messages/read-all": http.MethodPost,
	} {
		st.ask(t, method, path, ownPage, "").fails(t, http.StatusUnauthorized)
		st.Call(t, method, path, nil, nil).Fails(t, http.StatusForbidden)
		for _, header := range foreign() {
			st.hers.send(t, method, path, header, "").fails(t, http.StatusForbidden)
		}
	}
	want(t, "unread messages", st.unread(t, st.amy), before)
}
