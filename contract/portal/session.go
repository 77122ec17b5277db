package portal

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func sessionCases() []peopleCase {
	return []peopleCase{
		{"a session opens what a person may call", sessionCalls},
		{"a session hears of the todos of its person", sessionTodos},
		{"a session does not open what people may not call", sessionOthers},
		{"a browser that has the counts of a session is not sent them again", sessionCounts},
		{"a cookie with one byte changed is 401", sessionChanged},
		{"a cookie of another use is 401", sessionOtherUse},
		{"several cookies of sessions are 401", sessionTwice},
		{"an Authorization header switches the cookie off, valid or not", sessionAuthorization},
	}
}

// decode reads JSON into a value.
func decode[T any](t *testing.T, data []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

func sessionCalls(t *testing.T, st *stage) {
	for name, call := range calls(st.push(t, st.amy)) {
		st.hers.send(t, call[0], call[1], ownPage, "").data(t)
		st.hers.send(t, call[0], named(name, call[1], st.ben), ownPage, "").fails(t, http.StatusForbidden)
	}
	st.hers.listen(t, ownPage).lives(t, st, st.amy)
}

func sessionTodos(t *testing.T, st *stage) {
	stream := st.hers.listenTo(t, ownPage, "?topics=todo")
	change(t, st.Session, "", todoBody(st.amy))
	stream.wants(t, "todo")
}

func sessionOthers(t *testing.T, st *stage) {
	for _, path := range []string{"/todo-hub/todos", "/todo-hub/todos/x/clear", "/todo-hub/todos/x/invalidate", "/message-hub/messages"} {
		st.hers.send(t, http.MethodPost, path, with(ownPage, "Content-Type", "application/json"), `{"result":"x"}`).forbidden(t)
	}
}

func sessionCounts(t *testing.T, st *stage) {
	st.countsOnce(t, func(header http.Header) reply { return st.hers.send(t, http.MethodGet, "/counts", header, "") }, ownPage)
}

// withCookie is a visitor with this session cookie.
func (st *stage) withCookie(value string) *visitor {
	v := st.visitor()
	v.cookies[st.cookie("session")] = value
	return v
}

func sessionChanged(t *testing.T, st *stage) {
	good := st.hers.cookies[st.cookie("session")]
	const step = 7 // every part of it is met
	for i := 0; i < len(good); i += step {
		other := byte('A')
		if good[i] == other {
			other = 'B'
		}
		st.withCookie(good[:i]+string(other)+good[i+1:]).get(t, "/portal/me").fails(t, http.StatusUnauthorized)
	}
	for _, bad := range []string{"", "x", good[:len(good)-1], good + "A", good + "." + good, strings.Repeat("A", 3000), strings.Repeat(".", 4)} {
		st.withCookie(bad).get(t, "/portal/me").fails(t, http.StatusUnauthorized)
	}
	st.hers.get(t, "/portal/me").data(t)
}

func sessionOtherUse(t *testing.T, st *stage) {
	v := st.visitor()
	v.begin(t, "")
	st.withCookie(v.cookies[st.cookie("login")]).get(t, "/portal/me").fails(t, http.StatusUnauthorized)
	// The other form of the name is nobody's.
	other := st.visitor()
	other.cookies["hub-session"], other.cookies["__Host-hub-session"] = "x", "x"
	delete(other.cookies, st.cookie("session"))
	for name := range other.cookies {
		other.cookies[name] = st.hers.cookies[st.cookie("session")]
	}
	other.get(t, "/portal/me").fails(t, http.StatusUnauthorized)
	// And a session is no login.
	v.cookies[st.cookie("login")] = st.hers.cookies[st.cookie("session")]
	st.refused(t, "a session for a login", v.back(t, st.base+"/portal/callback?code=x&state=y"))
}

func sessionTwice(t *testing.T, st *stage) {
	good := st.cookie("session") + "=" + st.hers.cookies[st.cookie("session")]
	for _, cookies := range []string{good + "; " + good, good + "; " + st.cookie("session") + "=x"} {
		st.ask(t, http.MethodGet, "/portal/me", with(ownPage, "Cookie", cookies), "").fails(t, http.StatusUnauthorized)
	}
}

func sessionAuthorization(t *testing.T, st *stage) {
	for _, value := range []string{"", "Bearer", "Bearer x", "Basic eDp5"} {
		st.hers.send(t, http.MethodGet, "/portal/me", with(ownPage, "Authorization", value), "").fails(t, http.StatusUnauthorized)
	}
	header := with(ownPage, "Authorization", st.bearer(t, st.ben).Get("Authorization"))
	me := decode[map[string]any](t, st.hers.send(t, http.MethodGet, "/portal/me", header, "").data(t))
	if me["username"] != st.ben {
		t.Errorf("the caller is %v, want the one of the token", me["username"])
	}
}
