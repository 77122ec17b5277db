package portal_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/login"
	"example.com/hub/services/edge/internal/page"
	"example.com/hub/services/edge/internal/people"
	"example.com/hub/services/edge/internal/portal"
	"example.com/hub/services/edge/internal/session"
)

// sessions answer every request with a cookie alike.
type sessions struct {
	session session.Session
	err     error
	ended   []string
}

func (s *sessions) Sent(r *http.Request) bool { return r.Header.Get("Cookie") != "" }

func (s *sessions) Check(http.ResponseWriter, *http.Request, bool) (session.Session, error) {
	return s.session, s.err
}

func (s *sessions) End(_ http.ResponseWriter, _ *http.Request, ended session.Session) error {
	s.ended = append(s.ended, ended.Username+" "+ended.ID)
	return s.err
}

// noPeople cannot be asked.
type noPeople struct{}

func (noPeople) Find(context.Context, string) (people.Person, bool, error) {
	return people.Person{}, false, errors.New("away")
}

// serve answers a request of a principal, who is nobody when she is nil.
func serve(t *testing.T, s *sessions, method, path string, p *auth.Principal, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	l, err := login.New(login.Deps{
		PublicURL: "http://127.0.0.1", Issuer: "http://127.0.0.1:1", Keys: keys.Local(func() []jose.JSONWebKey { return nil }),
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	area, err := portal.Area(portal.Deps{Login: l, Sessions: s, People: noPeople{}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Host = "127.0.0.1"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if p != nil {
		r = r.WithContext(auth.With(r.Context(), *p))
	}
	w := httptest.NewRecorder()
	for _, e := range area.Endpoints {
		if e.Method == method && e.Path == path {
			e.Serve(w, r)
			return w
		}
	}
	t.Fatalf("there is no %s %s", method, path)
	return nil
}

func TestHome(t *testing.T) {
	for name, tt := range map[string]struct {
		sessions sessions
		cookie   string
		want     int
		text     string
	}{
		"without a cookie":   {want: http.StatusSeeOther},
		"with a session":     {sessions{session: session.Session{Username: "amy", Name: "Amy <b>"}}, "x=y", http.StatusOK, `<div id="app">`},
		"after its end":      {sessions{err: fault.New(fault.Unauthenticated, "over")}, "x=y", http.StatusSeeOther, ""},
		"from another site":  {sessions{err: fault.New(fault.Forbidden, "no")}, "x=y", http.StatusForbidden, "cannot be shown here"},
		"the store is away":  {sessions{err: fault.New(fault.Unavailable, "away")}, "x=y", http.StatusServiceUnavailable, "not available"},
		"something is wrong": {sessions{err: errors.New("pomegranate")}, "x=y", http.StatusInternalServerError, "went wrong"},
	} {
		w := serve(t, &tt.sessions, http.MethodGet, portal.Home, nil, "Cookie", tt.cookie, "Sec-Fetch-Site", "none")
		if w.Code != tt.want || !strings.Contains(w.Body.String(), tt.text) || strings.Contains(w.Body.String(), "pomegranate") {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if got := w.Header().Get("Content-Security-Policy"); got != page.Policy && w.Code != http.StatusSeeOther {
			t.Errorf("%s: the policy is %q", name, got)
		}
		if to := w.Header().Get("Location"); (w.Code == http.StatusSeeOther) != (to == "/portal/login?returnTo=%2Fportal%2F") {
			t.Errorf("%s: sent to %q", name, to)
		}
	}
}

func TestMeWithoutPeople(t *testing.T) {
	p := auth.Principal{User: "amy", Permissions: []string{"todos", "apps"}, Session: "s", Expires: time.Date(2026, 3, 1, 13, 0, 0, 5, time.FixedZone("", 3600))}
	w := serve(t, &sessions{}, http.MethodGet, "/portal/me", &p)
	want := `{"code":"0","msg":"ok","data":{"username":"amy","userId":"amy","name":null,"email":null,"dept":null,"roles":null,` +
		`"permissions":["apps","todos"],"sessionExpiresAt":"2026-03-01T12:00:00Z"}}` + "\n"
	if w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestLogout(t *testing.T) {
	s := &sessions{}
	if w := serve(t, s, http.MethodPost, login.PathLogout, &auth.Principal{User: "amy"}); w.Code != http.StatusForbidden || len(s.ended) > 0 {
		t.Errorf("with a token: %d %s, %v", w.Code, w.Body, s.ended)
	}
	amy := &auth.Principal{User: "amy", Session: "s1"}
	if w := serve(t, s, http.MethodPost, login.PathLogout, amy); w.Code != http.StatusOK || len(s.ended) != 1 || s.ended[0] != "amy s1" {
		t.Errorf("with a session: %d %s, %v", w.Code, w.Body, s.ended)
	}
	s.err = fault.New(fault.Unavailable, "away")
	if w := serve(t, s, http.MethodPost, login.PathLogout, amy); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("the store is away: %d %s", w.Code, w.Body)
	}
}
