package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/session"
)

// sessions knows the cookies amy, which it renews, and those that are named for what is wrong with them.
type sessions struct{ fresh []bool }

func (s *sessions) Sent(r *http.Request) bool {
	return len(r.Header["Authorization"]) == 0 && len(r.CookiesNamed("session")) > 0
}

func (s *sessions) Check(w http.ResponseWriter, r *http.Request, fresh bool) (session.Session, error) {
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	s.fresh = append(s.fresh, fresh)
	switch r.CookiesNamed("session")[0].Value {
	case "amy":
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "renewed"})
		return session.Session{ID: "1", Username: "amy", Permissions: []string{"todos"}, Ends: time.Unix(1_900_000_000, 0)}, nil
	case "foreign":
		return session.Session{}, fault.New(fault.Forbidden, "a session cookie does not count in a request from another site")
	case "away":
		return session.Session{}, fault.New(fault.Unavailable, "sessions cannot be checked at the moment")
	case "defect":
		return session.Session{}, http.ErrBodyNotAllowed
	default:
		return session.Session{}, fault.New(fault.Unauthenticated, "the session has ended")
	}
}

// withUsers lets users come with a cookie, and lets who has the permission todos push.
func withUsers(s rest.Sessions) func(*rest.Deps) {
	return func(d *rest.Deps) {
		d.Authenticator = rest.Cookies{Sessions: s, Next: d.Authenticator}
		for i := range d.Areas {
			for j := range d.Areas[i].Endpoints {
				if e := &d.Areas[i].Endpoints[j]; e.Path == "/message-hub/messages" {
					e.Rule.Permission = "todos"
				}
			}
		}
	}
}

const count = "/message-hub/unread-count?username=amy"

func TestACookieIsAUser(t *testing.T) {
	s := &sessions{}
	f := newFront(t, withUsers(s))
	f.hub.reply = &messagev1.CountUnreadResponse{Count: 7}
	w := f.send(t, http.MethodGet, count, "", "Authorization", "", "Cookie", "session=amy")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"data":7`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if p := f.hub.caller; p.User != "amy" || p.Session != "1" || p.Client != "" || !slices.Equal(p.Permissions, []string{"todos"}) || p.Expires.IsZero() {
		t.Errorf("the principal is %+v", p)
	}
	for name, want := range map[string]string{
		"Set-Cookie": "session=renewed", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		if got := w.Header()[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !strings.Contains(f.log.String(), `"client_id":"user:amy"`) {
		t.Error(f.log)
	}
}

func TestCookiesThatDoNotCount(t *testing.T) {
	for value, want := range map[string]struct {
		status    int
		challenge string
	}{
		"ended":   {http.StatusUnauthorized, `Bearer realm="hub", error="invalid_token"`},
		"foreign": {http.StatusForbidden, ""},
		"away":    {http.StatusServiceUnavailable, ""},
		"defect":  {http.StatusInternalServerError, ""},
	} {
		f := newFront(t, withUsers(&sessions{}))
		for _, path := range []string{count, "/message-hub/inbox?username=amy", "/message-hub/stream?user=amy", "/todo-hub/todos/x/clear"} {
			method := http.MethodGet
			if strings.HasSuffix(path, "clear") {
				method = http.MethodPost
			}
			w := f.send(t, method, path, "", "Authorization", "", "Cookie", "session="+value)
			wantFailure(t, w, want.status)
			if got := w.Header().Get("WWW-Authenticate"); got != want.challenge {
				t.Errorf("%s: challenge %q", value, got)
			}
		}
		if f.hub.calls != 0 || f.streams.calls != 0 {
			t.Errorf("%s: a hub or a stream was reached", value)
		}
	}
}

func TestATokenSwitchesCookiesOff(t *testing.T) {
	s := &sessions{}
	f := newFront(t, withUsers(s))
	f.hub.reply = &messagev1.CountUnreadResponse{}
	for token, status := range map[string]int{"Bearer good": 200, "Bearer poor": 403, "Bearer bad": 401, "Basic x": 401, "Bearer": 401} {
		w := f.send(t, http.MethodGet, count, "", "Authorization", token, "Cookie", "session=amy")
		if w.Code != status || len(w.Header()["Set-Cookie"]) != 0 || w.Header().Get("Cross-Origin-Resource-Policy") != "" {
			t.Errorf("%s: %d %v", token, w.Code, w.Header())
		}
	}
	if len(s.fresh) != 0 {
		t.Error("a cookie was looked at")
	}
}

func TestOtherCookiesAreNoCredentials(t *testing.T) {
	f := newFront(t, withUsers(&sessions{}))
	for _, c := range []string{"access_token=good", "token=good", "hub=good", "Authorization=Bearer good"} {
		w := f.send(t, http.MethodGet, count, "", "Authorization", "", "Cookie", c)
		wantFailure(t, w, http.StatusUnauthorized)
		if got := w.Header().Get("WWW-Authenticate"); got != `Bearer realm="hub"` {
			t.Errorf("challenge %q", got)
		}
	}
}

func TestWhatNeedsAPermissionIsAskedAfresh(t *testing.T) {
	s := &sessions{}
	f := newFront(t, withUsers(s))
	f.hub.reply = &messagev1.PushMessageResponse{}
	f.send(t, http.MethodGet, count, "", "Authorization", "", "Cookie", "session=amy")
	f.send(t, http.MethodPost, "/message-hub/messages", "{}", "Authorization", "", "Cookie", "session=amy")
	if !slices.Equal(s.fresh, []bool{false, true}) {
		t.Errorf("asked afresh: %v", s.fresh)
	}
}

// TestPathsForAnyoneLeaveCookiesAlone has a cookie that nobody can check.
func TestPathsForAnyoneLeaveCookiesAlone(t *testing.T) {
	f := newFront(t, withUsers(&sessions{}))
	if w := f.send(t, http.MethodGet, "/openapi.yaml", "", "Authorization", "", "Cookie", "session=away"); w.Code != http.StatusOK {
		t.Errorf("%d", w.Code)
	}
}
