package portal

import (
	"encoding/json"
	"net/http"
	"testing"
)

func directoryLoginCases() []peopleCase {
	return []peopleCase{
		{"a login makes a person and the feed takes her over", loginTakenOver},
		{"who is made inactive may not log in and her session ends", loginInactive},
		{"listing people needs the permission and telling of them is for feeds", loginMayNotFeed},
		{"it says her department, name and email as the feed has them", loginMe},
	}
}

// linked is what a feed tells of a person who has logged in, with the user id that she has, or gets for ever.
func (c company) linked(t *testing.T, username string, more ...any) object {
	t.Helper()
	id := c.find(t, username)["userId"]
	if id == "" {
		id = "contract-" + username
	}
	p := object{"userId": id, "username": username, "name": "Fed " + username, "email": username + "@feed.example", "deptId": "contract-dept"}
	for i := 0; i < len(more); i += 2 {
		p[more[i].(string)] = more[i+1]
	}
	return p
}

// find gives a person of the directory.
func (c company) find(t *testing.T, username string) map[string]any {
	t.Helper()
	for _, u := range c.page(t, "q", username).Data {
		if u["username"] == username {
			return u
		}
	}
	t.Fatalf("%s is not in the directory", username)
	return nil
}

func loginTakenOver(t *testing.T, st *stage) {
	c := newCompany(st.Session)
	st.visitor().logIn(t, st.ben, "")
	if u := c.find(t, st.ben); u["origin"] != "feed" {
		want(t, "her origin", u["origin"], any("login"))
		want(t, "her user id", u["userId"], any(""))
	}
	told := c.linked(t, st.ben)
	c.tellAll(t, told)
	u := c.find(t, st.ben)
	want(t, "her origin", u["origin"], any("feed"))
	want(t, "her user id", u["userId"], told["userId"])
	st.visitor().logIn(t, st.ben, "")
	want(t, "her name", c.find(t, st.ben)["name"], any("Fed "+st.ben))
}

func loginInactive(t *testing.T, st *stage) {
	c := newCompany(st.Session)
	v := st.visitor()
	v.logIn(t, st.ben, "")
	c.tellAll(t, c.linked(t, st.ben))
	v.get(t, usersPath).fails(t, http.StatusForbidden)
	defer c.tellAll(t, c.linked(t, st.ben))
	c.tellAll(t, c.linked(t, st.ben, "active", false))
	// What needs a permission asks whether the session lives; others do when they renew it.
	v.get(t, usersPath).fails(t, http.StatusUnauthorized)
	if r := st.tryLogIn(t, st.ben); r.status != http.StatusForbidden {
		t.Errorf("the login answers %s", r)
	}
}

// tryLogIn gives the answer of the callback.
func (st *stage) tryLogIn(t *testing.T, username string) reply {
	t.Helper()
	v := st.visitor()
	return v.back(t, st.people.Answer(t, v.begin(t, ""), username))
}

func loginMayNotFeed(t *testing.T, st *stage) {
	st.hers.get(t, usersPath).fails(t, http.StatusForbidden)
	for _, path := range []string{usersPath, usersPath + "/reconcile", "/directory/departments", "/directory/roles"} {
		st.hers.post(t, path).fails(t, http.StatusForbidden)
		st.ask(t, http.MethodPost, path, st.bearer(t, st.amy), "{}").fails(t, http.StatusForbidden)
	}
	st.ask(t, http.MethodGet, usersPath, ownPage, "").fails(t, http.StatusUnauthorized)
}

func loginMe(t *testing.T, st *stage) {
	c := newCompany(st.Session)
	v := st.visitor()
	v.logIn(t, st.ben, "")
	c.tellAll(t, c.linked(t, st.ben))
	var me map[string]any
	if err := json.Unmarshal(v.get(t, "/portal/me").data(t), &me); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"name": "Fed " + st.ben, "email": st.ben + "@feed.example", "dept": "contract-dept"} {
		want(t, name, me[name], value)
	}
}
