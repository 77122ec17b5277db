package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/hub/contract"
)

func directoryCases() []testCase {
	return []testCase{
		{"a feed is told what became of each person", directoryUsers},
		{"people are told of one after the other", directoryOrder},
		{"a user id and a username belong together for ever", directoryLinks},
		{"a wrong type or value fails its person alone", directoryFaults},
		{"what is left out becomes empty and people are active", directoryDefaults},
		{"more than 500 people and none are refused", directoryMany},
		{"a department is created and replaced", departmentStored},
		{"a department may come before the one above it", departmentEarly},
		{"a department never stands below itself", departmentCircle},
		{"departments are at most sixteen deep", departmentDepth},
		{"a role replaces its members", roleMembers},
		{"the list is walked by username", directoryWalk},
		{"deptId means the department and all below it", directoryDept},
		{"roleId means the members of a role", directoryRole},
		{"q is the beginning of a username or of a name", directoryPrefix},
		{"all filters must match", directoryFilters},
		{"other filters and cursors are refused", directoryRefused},
		{"the scope client is not enough", directoryScope},
		{"the scope directory opens nothing else", directoryScopeAlone},
	}
}

const usersPath = "/directory/users"

// family of a directory: people whose ids and names nobody else has.
type company struct {
	*contract.Session
	id string
}

func newCompany(s *contract.Session) company { return company{s.Feed(), contract.Fresh("dir")} }

// person is what a feed tells of the n-th.
func (c company) person(n int, more ...any) object {
	p := object{
		"userId": fmt.Sprintf("%s-%02d", c.id, n), "username": fmt.Sprintf("%s.user%02d", c.id, n),
		"name": fmt.Sprintf("Name %02d of %s", n, c.id), "email": "a@hub.example", "deptId": c.id,
	}
	for i := 0; i < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

// told is what a feed is answered.
type told struct {
	Stored, Failed int
	Results        []struct{ UserID, Code, Msg string }
}

func (c company) tell(t *testing.T, people ...any) told {
	t.Helper()
	var answer told
	data := c.Call(t, http.MethodPost, usersPath, object{"users": people}, nil).OK(t)
	if err := json.Unmarshal(data, &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Results) != len(people) || answer.Stored+answer.Failed != len(people) {
		t.Fatalf("%d people are answered with %s", len(people), data)
	}
	return answer
}

// tellAll demands that all are stored.
func (c company) tellAll(t *testing.T, people ...any) {
	t.Helper()
	if answer := c.tell(t, people...); answer.Failed > 0 {
		t.Fatalf("refused: %+v", answer)
	}
}

// listed is a page of people.
type listed struct {
	Data []map[string]any `json:"data"`
	Page struct {
		NextCursor *string `json:"nextCursor"`
	} `json:"page"`
}

func (c company) page(t *testing.T, query ...string) (p listed) {
	t.Helper()
	values := url.Values{}
	for i := 0; i < len(query); i += 2 {
		values.Set(query[i], query[i+1])
	}
	a := c.Call(t, http.MethodGet, usersPath+"?"+values.Encode(), nil, nil)
	if a.Status != http.StatusOK {
		t.Fatal(a)
	}
	if err := json.Unmarshal(a.Body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// usernames are those of a list, without the company.
func (c company) usernames(t *testing.T, query ...string) (names []string) {
	t.Helper()
	names = []string{}
	for _, u := range c.page(t, query...).Data {
		names = append(names, strings.TrimPrefix(u["username"].(string), c.id+"."))
	}
	return names
}

func directoryUsers(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	got := c.tell(t, c.person(1), c.person(2, "username", ""), c.person(3))
	want(t, "the codes", []string{got.Results[0].Code, got.Results[1].Code, got.Results[2].Code}, []string{"0", "-1", "0"})
	want(t, "the texts", []string{got.Results[0].Msg, got.Results[1].Msg}, []string{"ok", "username must not be empty"})
	want(t, "the ids", got.Results[1].UserID, c.id+"-02")
	u := c.page(t, "q", c.id).Data[0]
	for name, value := range map[string]any{
		"userId": c.id + "-01", "name": "Name 01 of " + c.id, "email": "a@hub.example", "deptId": c.id,
		"active": true, "origin": "feed", "creator": "hr", "modifier": "hr",
	} {
		want(t, name, u[name], value)
	}
}

func directoryOrder(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1), c.person(1, "name", "Later"), c.person(2))
	want(t, "the name", c.page(t, "q", c.id).Data[0]["name"], any("Later"))
	got := c.tell(t, c.person(3), c.person(3, "userId", c.id+"-04"), c.person(4))
	want(t, "the stored", []string{got.Results[0].Code, got.Results[1].Code, got.Results[2].Code}, []string{"0", "-1", "0"})
}

func directoryLinks(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1), c.person(2))
	for _, wrong := range []object{
		c.person(1, "userId", c.id+"-02"), c.person(1, "userId", c.id+"-03"), c.person(1, "username", c.id+".user03"),
	} {
		got := c.tell(t, wrong)
		if got.Failed != 1 || !strings.Contains(got.Results[0].Msg, "linked") {
			t.Errorf("%v: %+v", wrong, got)
		}
	}
	want(t, "the people", c.usernames(t, "q", c.id), []string{"user01", "user02"})
}

func directoryFaults(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	for text, wrong := range map[string]any{
		"name must be a string":          c.person(1, "name", 7),
		"active must be true or false":   c.person(1, "active", "yes"),
		"the item must be a JSON object": nil,
		"user id must not be empty":      c.person(1, "userId", ""),
		`user id must not be ".."`:       c.person(1, "userId", ".."),
		"username must not contain":      c.person(1, "username", "a\nb"),
		"email must be an address":       c.person(1, "email", "nobody"),
		"dept id must be at most 255":    c.person(1, "deptId", strings.Repeat("x", 256)),
		"name must be at most 255":       c.person(1, "name", strings.Repeat("x", 256)),
		"username must be at most 128":   c.person(1, "username", strings.Repeat("x", 129)),
		"username must be a string":      c.person(1, "username", []string{"amy"}),
	} {
		got := c.tell(t, wrong, c.person(9))
		if got.Stored != 1 || got.Results[1].Code != "0" || !strings.HasPrefix(got.Results[0].Msg, text) {
			t.Errorf("%v: %+v, want %q", wrong, got, text)
		}
	}
}

func directoryDefaults(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1, "active", false))
	c.tellAll(t, object{"userId": c.id + "-01", "username": c.id + ".user01"})
	u := c.page(t, "q", c.id).Data[0]
	for name, value := range map[string]any{"name": "", "email": "", "deptId": "", "active": true} {
		want(t, name, u[name], value)
	}
}

func directoryMany(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.Call(t, http.MethodPost, usersPath, object{"users": []any{}}, nil).Fails(t, http.StatusBadRequest)
	c.Call(t, http.MethodPost, usersPath, object{}, nil).Fails(t, http.StatusBadRequest)
	many := make([]any, 501)
	for i := range many {
		many[i] = c.person(i)
	}
	c.Call(t, http.MethodPost, usersPath, object{"users": many}, nil).Fails(t, http.StatusBadRequest)
	c.tellAll(t, many[:500]...)
}

func directoryScope(t *testing.T, s *contract.Session) {
	for _, call := range [][2]string{
		{http.MethodPost, usersPath},
		{http.MethodGet, usersPath},
		{http.MethodPost, "/directory/departments"},
		{http.MethodPost, "/directory/roles"},
		{http.MethodPost, usersPath + "/reconcile"},
	} {
		var body any
		if call[0] == http.MethodPost {
			body = object{}
		}
		a := s.Call(t, call[0], call[1], body, nil)
		a.Fails(t, http.StatusForbidden)
		challenge := a.Header.Get("WWW-Authenticate")
		if !strings.Contains(challenge, `error="insufficient_scope"`) || !strings.Contains(challenge, `scope="directory"`) {
			t.Errorf("%v: the challenge is %q", call, challenge)
		}
	}
}

func directoryScopeAlone(t *testing.T, s *contract.Session) {
	for _, path := range []string{"/todo-hub/todos", "/message-hub/inbox?username=amy", "/message-hub/unread-count?username=amy"} {
		s.Feed().Call(t, http.MethodGet, path, nil, nil).Fails(t, http.StatusForbidden)
	}
}
