package forwarder_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"example.com/hub/services/edge/internal/forwarder"
	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

// providerFake is an outside provider whose answers a test makes; it keeps what it was asked.
type providerFake struct {
	*httptest.Server

	mu     sync.Mutex
	answer http.HandlerFunc
	forms  []url.Values
	heads  []http.Header
}

const goodAnswer = `{"access_token":"x.y.z","token_type":"Bearer","expires_in":300,"not-before-policy":0}`

func newProvider(t *testing.T) *providerFake {
	t.Helper()
	p := &providerFake{answer: reply(http.StatusOK, "application/json", goodAnswer)}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func reply(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func (p *providerFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/.well-known/openid-configuration" {
		_, _ = fmt.Fprintf(w, `{"issuer":%q,"token_endpoint":%q}`, p.URL, p.URL+"/token")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		panic(err)
	}
	p.forms, p.heads = append(p.forms, r.PostForm), append(p.heads, r.Header)
	p.answer(w, r)
}

// answers sets how the provider answers from now on.
func (p *providerFake) answers(h http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = h
}

func (p *providerFake) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.forms)
}

// forwarding is a forwarder with its log.
type forwarding struct {
	*forwarder.Forwarder
	log *oauthtest.Log
}

func forward(t *testing.T, cfg forwarder.Config, d forwarder.Deps) *forwarding {
	t.Helper()
	f := &forwarding{log: &oauthtest.Log{}}
	d.Logger = slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if f.Forwarder, err = forwarder.New(cfg, d); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// send sends a request and checks what holds for every answer.
func (f *forwarding) send(t *testing.T, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	f.ServeToken(w, r)
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "no-store", "Pragma": "no-cache",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	return w
}

func (f *forwarding) wantAnswer(t *testing.T, r *http.Request, status int, body string) {
	t.Helper()
	if w := f.send(t, r); w.Code != status || strings.TrimSpace(w.Body.String()) != body {
		t.Errorf("answer is %d %s, want %d %s", w.Code, w.Body, status, body)
	}
}

// wantAway checks the answer for a provider that is away.
func (f *forwarding) wantAway(t *testing.T, r *http.Request) {
	t.Helper()
	w := f.send(t, r)
	if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusServiceUnavailable ||
		got != `{"error":"temporarily_unavailable"}` || w.Header().Get("Retry-After") != "1" {
		t.Errorf("answer is %d %s, Retry-After %q", w.Code, got, w.Header().Get("Retry-After"))
	}
}

// network is a transport that needs none.
type network func(*http.Request) (*http.Response, error)

func (n network) RoundTrip(r *http.Request) (*http.Response, error) { return n(r) }
