package edge_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/config"
	"example.com/hub/pkg/process"
	"example.com/hub/pkg/redis"
	"example.com/hub/pkg/redis/redistest"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/services/edge"
	"example.com/hub/services/edge/internal/session"
)

const publicURL = "http://127.0.0.1:8080"

// site is an edge with sessions, over HTTP until the test is over.
type site struct {
	sessions *session.Sessions
	url      string
	ahead    atomic.Int64 // of its clock, as a time.Duration
}

// openSite starts an edge. Those with the same file of keys and bus are of one Hub.
func openSite(t *testing.T, b session.Bus, secrets string, environ ...string) *site {
	t.Helper()
	s := &site{}
	deps := edge.Deps{
		Todo: hubs{}, Messages: hubs{}, Verifier: anyone{}, Logger: slog.New(slog.DiscardHandler),
		Clock: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) },
	}
	if err := config.Load(&deps.Config, append(environ, "HUB_SECRETS_FILE="+secrets)); err != nil {
		t.Fatal(err)
	}
	p, err := process.Open(t.Context(), "edge", tracing.Config{}, deps.Logger)
	if err != nil {
		t.Fatal(err)
	}
	if err := deps.OpenSessions(p, b, publicURL, false); err != nil {
		t.Fatal(err)
	}
	s.sessions = deps.Sessions
	e, err := edge.New(deps)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(e.Handler())
	s.url = server.URL
	t.Cleanup(func() {
		if err := e.Shutdown(context.Background()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		server.Close()
	})
	return s
}

func newSecrets(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(path, []byte("lNGfhVyWlSxMdSrpkPPLkwLPyPdHCFNK\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func newBus(t *testing.T) *membus.Bus {
	t.Helper()
	b := membus.New()
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	return b
}

// login begins a session of amy, and gives its cookie.
func (s *site) login(t *testing.T) string {
	t.Helper()
	w := httptest.NewRecorder()
	if err := s.sessions.Begin(w, httptest.NewRequest(http.MethodGet, "/portal/callback", nil), session.Person{Username: "amy", Name: "Amy"}); err != nil {
		t.Fatal(err)
	}
	value, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return value
}

// logout ends the session of a cookie.
func (s *site) logout(t *testing.T, cookie string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/portal/logout", nil)
	r.Header.Set("Cookie", cookie)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	of, err := s.sessions.Check(httptest.NewRecorder(), r, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.sessions.End(httptest.NewRecorder(), r, of); err != nil {
		t.Fatal(err)
	}
}

// get asks as a page of Hub's own does; headers replace what it sends.
func (s *site) get(t *testing.T, path, cookie string, headers ...string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Cookie", cookie)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

const amysStream = "/message-hub/stream?user=amy"

// newRedisBus gives a bus over the Redis of the tests.
func newRedisBus(t *testing.T, name string) session.Bus {
	t.Helper()
	client, err := redis.NewClient(redistest.URL(t))
	if err != nil {
		t.Fatalf("HUB_TEST_REDIS: %v", err)
	}
	t.Cleanup(func() { _ = client.Close() })
	b, err := redisbus.New(redisbus.Deps{Client: client, Name: name, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	return b
}

// TestALogoutEndsTheStreamAtTheOtherEdge has the cookie of one edge at another one.
func TestALogoutEndsTheStreamAtTheOtherEdge(t *testing.T) {
	t.Run("in a process", func(t *testing.T) {
		b := newBus(t)
		logoutAtTheOtherEdge(t, b, b)
	})
	t.Run("over Redis", func(t *testing.T) {
		name := "hub-test-" + rand.Text()
		logoutAtTheOtherEdge(t, newRedisBus(t, name), newRedisBus(t, name))
	})
}

func logoutAtTheOtherEdge(t *testing.T, first, second session.Bus) {
	t.Helper()
	secrets := newSecrets(t)
	one, two := openSite(t, first, secrets), openSite(t, second, secrets)
	cookie := one.login(t)
	resp := two.get(t, amysStream, cookie)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" ||
		resp.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Fatalf("%s %v", resp.Status, resp.Header)
	}
	lines := bufio.NewScanner(resp.Body)
	first.Publish(t.Context(), bus.Frame{Events: []bus.Event{{Kind: bus.Message, User: "amy", ID: "1"}}})
	for lines.Scan() && lines.Text() != "id: 1" {
	}
	one.logout(t, cookie)
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
	for _, s := range []*site{one, two} {
		if resp := s.get(t, amysStream, cookie); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("after the logout: %s", resp.Status)
		}
	}
}

// TestOnlyThePagesOfHubOpenAStream has what browsers send for pages of other origins, with the cookie: the
// stream that the user has must stay hers.
func TestOnlyThePagesOfHubOpenAStream(t *testing.T) {
	b := newBus(t)
	s := openSite(t, b, newSecrets(t))
	cookie := s.login(t)
	lines := bufio.NewScanner(s.get(t, amysStream, cookie).Body)
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "cors", "Origin", "http://127.0.0.1:3000"},
		{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"},
		{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"},
	} {
		if resp := s.get(t, amysStream, cookie, headers...); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%v: %s", headers, resp.Status)
		}
	}
	b.Publish(t.Context(), bus.Frame{Events: []bus.Event{{Kind: bus.Message, User: "amy", ID: "1"}}})
	for lines.Scan() {
		if lines.Text() == "id: 1" {
			s.logout(t, cookie)
			return
		}
	}
	t.Error("the stream has ended")
}

// TestAStreamBringsTheNewCookie opens one when the cookie is to be renewed.
func TestAStreamBringsTheNewCookie(t *testing.T) {
	s := openSite(t, newBus(t), newSecrets(t))
	cookie := s.login(t)
	s.ahead.Store(int64(3 * time.Minute))
	resp := s.get(t, amysStream, cookie)
	set := resp.Cookies()
	if resp.StatusCode != http.StatusOK || len(set) != 1 || set[0].Name != "hub-session" || !set[0].HttpOnly ||
		resp.Header.Get("Cache-Control") != "no-cache, no-transform" {
		t.Fatalf("%s %v", resp.Status, resp.Header)
	}
	s.ahead.Store(int64(6 * time.Minute))
	if resp := s.get(t, "/message-hub/unread-count?username=amy", "hub-session="+set[0].Value); resp.StatusCode != http.StatusOK || len(resp.Cookies()) != 1 {
		t.Errorf("%s %v", resp.Status, resp.Header)
	}
}

func TestAUserOfASessionReadsHerOwnOnly(t *testing.T) {
	s := openSite(t, newBus(t), newSecrets(t))
	cookie := s.login(t)
	for path, want := range map[string]int{
		"/message-hub/unread-count":              http.StatusOK,
		"/message-hub/unread-count?username=amy": http.StatusOK,
		"/message-hub/unread-count?username=ben": http.StatusForbidden,
		"/message-hub/stream?user=ben":           http.StatusForbidden,
		"/message-hub/stream?user=":              http.StatusBadRequest,
	} {
		if resp := s.get(t, path, cookie); resp.StatusCode != want {
			t.Errorf("%s: %s, want %d", path, resp.Status, want)
		}
	}
}

func TestBrowserSettingsNameTheirFault(t *testing.T) {
	for setting, want := range map[string]string{
		"HUB_ALLOWED_ORIGINS=*":                              "HUB_ALLOWED_ORIGINS: each must be ",
		"HUB_ALLOWED_ORIGINS=https://a.test,https://b.test/": "HUB_ALLOWED_ORIGINS: each must be ",
		"HUB_SESSION_IDLE=1m":                                "HUB_SESSION_IDLE: must be from 5m to 24h",
		"HUB_SESSION_LIFETIME=10m":                           "HUB_SESSION_LIFETIME: must be from HUB_SESSION_IDLE",
	} {
		if _, err := load(t, setting); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	if _, err := load(t, "HUB_ALLOWED_ORIGINS=https://a.test,http://localhost:3000"); err != nil {
		t.Error(err)
	}
}
