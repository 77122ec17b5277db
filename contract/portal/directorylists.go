package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/hub/contract"
)

// department tells of one, whose ids are the company's.
func (c company) department(t *testing.T, id, parent string) contract.Answer {
	t.Helper()
	body := object{"deptId": c.id + id, "name": "Name of " + id}
	if parent != "-" {
		body["parentId"] = c.id + parent
	}
	return c.Call(t, http.MethodPost, "/directory/departments", body, nil)
}

// role tells of one, whose members are the company's.
func (c company) role(t *testing.T, id string, members ...int) (answer struct{ Members, Unknown int }) {
	t.Helper()
	ids := []string{}
	for _, n := range members {
		ids = append(ids, fmt.Sprintf("%s-%02d", c.id, n))
	}
	data := c.Call(t, http.MethodPost, "/directory/roles", object{"roleId": c.id + id, "name": "n", "userIds": ids}, nil).OK(t)
	if err := json.Unmarshal(data, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func departmentStored(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.department(t, "a", "-").OK(t)
	var d map[string]any
	if err := json.Unmarshal(c.department(t, "a", "top").OK(t), &d); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"deptId": c.id + "a", "parentId": c.id + "top", "name": "Name of a", "creator": "hr"} {
		want(t, name, d[name], value)
	}
	c.Call(t, http.MethodPost, "/directory/departments", object{"deptId": c.id}, nil).Fails(t, http.StatusBadRequest)
	c.Call(t, http.MethodPost, "/directory/departments", object{"name": "n"}, nil).Fails(t, http.StatusBadRequest)
}

func departmentEarly(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1, "deptId", c.id+"low"))
	c.department(t, "low", "high").OK(t)
	want(t, "the people", c.usernames(t, "deptId", c.id+"high"), []string{"user01"})
	want(t, "the people above", c.usernames(t, "deptId", c.id+"top"), []string{})
	c.department(t, "high", "top").OK(t)
	want(t, "the people above, later", c.usernames(t, "deptId", c.id+"top"), []string{"user01"})
}

func departmentCircle(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.department(t, "a", "-").OK(t)
	c.department(t, "b", "a").OK(t)
	c.department(t, "c", "b").OK(t)
	for _, parent := range []string{"a", "b", "c"} {
		if msg := c.department(t, "a", parent).Fails(t, http.StatusConflict); !strings.Contains(msg, "below itself") {
			t.Errorf("the message is %q", msg)
		}
	}
	c.department(t, "c", "a").OK(t)
}

func departmentDepth(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	for n := range 16 {
		c.department(t, fmt.Sprint(n), map[bool]string{true: "-", false: fmt.Sprint(n - 1)}[n == 0]).OK(t)
	}
	c.department(t, "more", "15").Fails(t, http.StatusConflict)
	c.department(t, "0", "above").Fails(t, http.StatusConflict)
	c.department(t, "more", "14").OK(t)
}

func roleMembers(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1), c.person(2), c.person(3))
	got := c.role(t, "r", 1, 2, 2, 9)
	want(t, "members", [2]int{got.Members, got.Unknown}, [2]int{3, 1})
	want(t, "the people", c.usernames(t, "roleId", c.id+"r"), []string{"user01", "user02"})
	c.role(t, "r", 3)
	want(t, "the people", c.usernames(t, "roleId", c.id+"r"), []string{"user03"})
	c.role(t, "r")
	want(t, "the people", c.usernames(t, "roleId", c.id+"r"), []string{})
	for _, body := range []object{
		{"name": "n"},
		{"roleId": c.id},
		{"roleId": c.id, "name": "n", "userIds": []string{""}},
		{"roleId": c.id, "name": "n", "userIds": []int{1}},
		{"roleId": c.id, "name": "n", "userIds": make([]string, 10_001)},
	} {
		c.Call(t, http.MethodPost, "/directory/roles", body, nil).Fails(t, http.StatusBadRequest)
	}
}

func directoryWalk(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(3), c.person(1), c.person(5), c.person(2), c.person(4))
	var names []string
	cursor := ""
	for range 3 {
		p := c.page(t, "q", c.id, "size", "2", "cursor", cursor)
		for _, u := range p.Data {
			names = append(names, strings.TrimPrefix(u["username"].(string), c.id+"."))
		}
		if p.Page.NextCursor == nil {
			break
		}
		cursor = *p.Page.NextCursor
	}
	want(t, "the people", names, []string{"user01", "user02", "user03", "user04", "user05"})
}

func directoryDept(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.department(t, "a", "-").OK(t)
	c.department(t, "b", "a").OK(t)
	c.department(t, "c", "b").OK(t)
	c.tellAll(t, c.person(1, "deptId", c.id+"a"), c.person(2, "deptId", c.id+"b", "active", false), c.person(3, "deptId", c.id+"c"),
		c.person(4, "deptId", c.id+"d"))
	want(t, "a", c.usernames(t, "deptId", c.id+"a"), []string{"user01", "user02", "user03"})
	want(t, "b", c.usernames(t, "deptId", c.id+"b"), []string{"user02", "user03"})
	want(t, "d", c.usernames(t, "deptId", c.id+"d"), []string{"user04"})
	want(t, "none", c.usernames(t, "deptId", c.id), []string{})
}

func directoryRole(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1), c.person(2), c.person(3))
	c.role(t, "r", 1, 3)
	want(t, "the members", c.usernames(t, "roleId", c.id+"r"), []string{"user01", "user03"})
	want(t, "of an unknown role", c.usernames(t, "roleId", c.id), []string{})
}

func directoryPrefix(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1, "name", c.id+"%Ann"), c.person(2, "name", "B"+c.id), c.person(3, "name", c.id+"%Anna"))
	for q, names := range map[string][]string{
		c.id + ".user02": {"user02"}, c.id + "%An": {"user01", "user03"}, c.id + "%Anna": {"user03"}, "B" + c.id: {"user02"},
		c.id + "%an": {}, "%" + c.id: {},
	} {
		want(t, q, c.usernames(t, "q", q), names)
	}
}

func directoryFilters(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1), c.person(2), c.person(3, "deptId", c.id+"other"), c.person(4))
	c.role(t, "r", 1, 2, 3)
	want(t, "two", c.usernames(t, "deptId", c.id, "roleId", c.id+"r"), []string{"user01", "user02"})
	want(t, "three", c.usernames(t, "deptId", c.id, "roleId", c.id+"r", "q", "Name 02"), []string{"user02"})
}

func directoryRefused(t *testing.T, s *contract.Session) {
	c := newCompany(s)
	c.tellAll(t, c.person(1), c.person(2))
	next := *c.page(t, "q", c.id, "size", "1").Page.NextCursor
	for _, query := range []string{
		"cursor=x", "cursor=c1.x", "cursor=" + next, "cursor=" + next + "&q=x", "deptId=", "roleId=", "size=0", "size=x", "page=1",
		"q=" + strings.Repeat("x", 256), "q=a&q=a",
	} {
		c.Call(t, http.MethodGet, usersPath+"?"+query, nil, nil).Fails(t, http.StatusBadRequest)
	}
}
