package portal

import (
	"net/http"
	"testing"
	"time"
)

func acrossCases() []peopleCase {
	return []peopleCase{
		{"a session counts at each edge", acrossCounts},
		{"a logout at one edge ends the session at each", acrossLogout},
		{"a logout at one edge ends the stream at another", acrossStream},
	}
}

// at is a visitor's browser at another edge.
func (v *visitor) at(edge string) *visitor {
	there := *v.st
	there.base = edge
	return &visitor{&there, v.http, v.cookies}
}

func acrossCounts(t *testing.T, st *stage) {
	v := st.visitor()
	v.logIn(t, st.ben, "")
	for _, edge := range st.edges {
		for _, path := range []string{"/portal/me", "/todo-hub/todos", "/message-hub/inbox", "/message-hub/unread-count"} {
			v.at(edge).get(t, path).data(t)
		}
	}
}

// wantsOut waits until a session does not count, which edges tell each other.
func (v *visitor) wantsOut(t *testing.T) {
	t.Helper()
	late := time.After(patience)
	for {
		r := v.get(t, "/portal/me")
		if r.status == http.StatusUnauthorized {
			return
		}
		select {
		case <-late:
			t.Fatalf("the session goes on: %s", r)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func acrossLogout(t *testing.T, st *stage) {
	for _, out := range st.edges {
		v := st.visitor()
		v.logIn(t, st.ben, "")
		kept := st.withCookie(v.cookies[st.cookie("session")])
		v.at(out).post(t, "/portal/logout").data(t)
		for _, edge := range st.edges {
			kept.at(edge).wantsOut(t)
		}
	}
}

func acrossStream(t *testing.T, st *stage) {
	for i, edge := range st.edges {
		v := st.visitor()
		v.logIn(t, st.ben, "")
		stream := v.at(edge).listen(t, ownPage)
		v.at(st.edges[(i+1)%len(st.edges)]).post(t, "/portal/logout").data(t)
		stream.wantsEnd(t)
	}
}
