package login_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/login"
	"example.com/hub/services/edge/internal/sealed"
)

const clientID = "portal"

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

var (
	rightKey = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	wrongKey = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
)

// sign makes a token whose header has the key id k1.
func sign(key *ecdsa.PrivateKey, typ string, claims map[string]any) string {
	signer := must(jose.NewSigner(
		jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k1"}},
		(&jose.SignerOptions{}).WithType(jose.ContentType(typ)),
	))
	return must(must(signer.Sign(must(json.Marshal(claims)))).CompactSerialize())
}

// liar is a provider that keeps to the rules where a test does not make it lie.
type liar struct {
	server *httptest.Server

	metadata func(map[string]any)                          // changes the metadata
	answer   func(url.Values)                              // changes what the browser brings back
	claims   func(map[string]any)                          // changes the ID token
	idToken  func(right string, claims map[string]any) any // is sent in the place of the right ID token
	token    http.HandlerFunc                              // answers in the place of the token endpoint

	mu     sync.Mutex
	nonce  string
	asked  url.Values // the last request for a token
	header http.Header
}

func newLiar(t *testing.T) *liar {
	t.Helper()
	l := &liar{}
	l.server = httptest.NewServer(l)
	t.Cleanup(l.server.Close)
	return l
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	issuer := l.server.URL
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		m := map[string]any{
			"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
			"jwks_uri": issuer + "/keys", "authorization_response_iss_parameter_supported": true,
		}
		if l.metadata != nil {
			l.metadata(m)
		}
		_ = json.NewEncoder(w).Encode(m)
	case "/authorize":
		q := r.URL.Query()
		l.nonce = q.Get("nonce")
		back := url.Values{"code": {"the-code"}, "state": q["state"], "iss": {issuer}}
		if l.answer != nil {
			l.answer(back)
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	case "/token":
		_ = r.ParseForm()
		l.asked, l.header = r.PostForm, r.Header
		if l.token != nil {
			l.token(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "opaque", "token_type": "Bearer", "id_token": l.makeToken()})
	}
}

func (l *liar) makeToken() any {
	claims := map[string]any{
		"iss": l.server.URL, "sub": "s-1", "aud": clientID, "nonce": l.nonce, "preferred_username": "amy", "name": "Amy",
		"email": "amy@hub.example", "roles": []string{"staff"},
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}
	if l.claims != nil {
		l.claims(claims)
	}
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	right := sign(rightKey(), "JWT", claims)
	if l.idToken != nil {
		return l.idToken(right, claims)
	}
	return right
}

// people keep the subject of each username.
type people struct {
	subjects map[string]string
	inactive bool
}

func (p *people) LogIn(_ context.Context, who token.Identity) error {
	if p.inactive {
		return fault.New(fault.Forbidden, "the user is not active")
	}
	if known, ok := p.subjects[who.Username]; ok && known != who.Issuer+" "+who.Subject {
		return fault.Wrap(fault.Forbidden, "the user is another one", login.ErrOtherSubject)
	}
	p.subjects[who.Username] = who.Issuer + " " + who.Subject
	return nil
}

// sessions keep who logged in.
type sessions struct{ begun []token.Identity }

func (s *sessions) Begin(w http.ResponseWriter, _ *http.Request, who token.Identity) error {
	s.begun = append(s.begun, who)
	http.SetCookie(w, &http.Cookie{Name: "hub-session", Value: who.Username, Path: "/"})
	return nil
}

// bench is a Hub of which there is only the login, a provider, and a browser.
type bench struct {
	*login.Login
	liar     *liar
	people   *people
	sessions *sessions
	server   *httptest.Server
	browser  *http.Client
	log      *bytes.Buffer
	now      func() time.Time
}

func newBench(t *testing.T, change ...func(*login.Deps)) *bench {
	t.Helper()
	b := &bench{liar: newLiar(t), people: &people{subjects: map[string]string{}}, sessions: &sessions{}, log: &bytes.Buffer{}}
	b.server = httptest.NewServer(b)
	t.Cleanup(b.server.Close)
	sealer, err := sealed.Open(sealed.Config{File: filepath.Join(t.TempDir(), "secrets")}, sealed.Deps{CreateKeys: true})
	if err != nil {
		t.Fatal(err)
	}
	d := login.Deps{
		Config:    login.Config{ClientID: clientID, Scopes: []string{"openid", "profile"}},
		PublicURL: b.server.URL, Issuer: b.liar.server.URL, Claims: token.UserClaims{Username: "preferred_username", Roles: "roles"},
		Keys:   keys.Local(func() []jose.JSONWebKey { return []jose.JSONWebKey{{Key: rightKey().Public(), KeyID: "k1"}} }),
		Sealer: sealer, People: b.people, Sessions: b.sessions,
		Logger: slog.New(slog.NewJSONHandler(b.log, nil)),
		Clock:  func() time.Time { return b.clock() },
	}
	for _, c := range change {
		c(&d)
	}
	if b.Login, err = login.New(d); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	b.browser = b.newBrowser()
	return b
}

func (b *bench) clock() time.Time {
	if b.now != nil {
		return b.now()
	}
	return time.Now()
}

func (b *bench) newBrowser() *http.Client { return &http.Client{Jar: must(cookiejar.New(nil))} }

func (b *bench) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case login.PathLogin:
		b.ServeLogin(w, r)
	case login.PathCallback:
		b.ServeCallback(w, r)
	default:
		b.Ask(w, r)
	}
}

// answer is what the browser was shown in the end.
type answer struct {
	*http.Response
	body string
}

func (b *bench) get(t *testing.T, address string) answer {
	t.Helper()
	if !strings.Contains(address, "://") {
		address = b.server.URL + address
	}
	return do(t, b.browser, must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)))
}

func do(t *testing.T, c *http.Client, r *http.Request) answer {
	t.Helper()
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp, string(body)}
}

// stopAt makes the browser show the redirect to a path, and not follow it.
func (b *bench) stopAt(path string) {
	b.browser.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == path {
			return http.ErrUseLastResponse
		}
		return nil
	}
}

// cookie gives a cookie of the browser, or nil.
func (b *bench) cookie(name string) *http.Cookie {
	for _, c := range b.browser.Jar.Cookies(must(url.Parse(b.server.URL))) {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// wantRefused demands a page without details, no session, and that the login is over.
func (b *bench) wantRefused(t *testing.T, a answer, status int) {
	t.Helper()
	if a.StatusCode != status || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		t.Errorf("status %d, want %d: %s", a.StatusCode, status, a.body)
	}
	for _, detail := range []string{"state", "nonce", "iss", "token", "the-code", "s-1", "http://"} {
		if strings.Contains(strings.ToLower(a.body), detail) {
			t.Errorf("the page tells of %q: %s", detail, a.body)
		}
	}
	if len(b.sessions.begun) > 0 || b.cookie("hub-session") != nil {
		t.Errorf("a session has begun: %v", b.sessions.begun)
	}
	if b.cookie("hub-login") != nil {
		t.Error("the state can be used again")
	}
}

var errCut = errors.New("cut")
