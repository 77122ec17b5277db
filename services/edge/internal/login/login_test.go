package login_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/services/edge/internal/demoidp"
	"example.com/hub/services/edge/internal/login"
)

func withoutKeys(d *login.Deps) { d.Keys = keys.Local(func() []jose.JSONWebKey { return nil }) }

func TestLogin(t *testing.T) {
	b := newBench(t)
	a := b.get(t, "/portal/login?returnTo=%2Fapps%2Fcrm%2Fjump%3Fto%3D%252Fx%26y%3D1")
	if want := `content="0; url=/apps/crm/jump?to=%2Fx&amp;y=1"`; a.StatusCode != http.StatusOK || !strings.Contains(a.body, want) {
		t.Errorf("status %d, no %s in %s", a.StatusCode, want, a.body)
	}
	want := []token.Identity{{
		Issuer: b.liar.server.URL, Subject: "s-1", Username: "amy", Name: "Amy", Email: "amy@hub.example", Roles: []string{"staff"},
	}}
	if diff := cmp.Diff(want, b.sessions.begun, cmpopts.IgnoreFields(token.Identity{}, "Expires")); diff != "" {
		t.Errorf("who logged in differs (-want +got):\n%s", diff)
	}
	if b.cookie("hub-login") != nil || b.cookie("hub-session") == nil {
		t.Errorf("the cookies are %v", b.browser.Jar.Cookies(must(url.Parse(b.server.URL))))
	}
	if !strings.Contains(b.log.String(), `"audit":true,"user":"amy"`) {
		t.Errorf("the log has no audit line: %s", b.log)
	}
}

// TestWhatTheProviderIsAsked follows RFC 9700 section 2.1.
func TestWhatTheProviderIsAsked(t *testing.T) {
	b := newBench(t)
	b.stopAt("/authorize")
	a := b.get(t, "/portal/login")
	to := must(url.Parse(a.Header.Get("Location")))
	q := to.Query()
	if a.StatusCode != http.StatusSeeOther || "http://"+to.Host+to.Path != b.liar.server.URL+"/authorize" {
		t.Errorf("status %d to %s", a.StatusCode, to)
	}
	for name, want := range map[string]string{
		"response_type": "code", "client_id": clientID, "redirect_uri": b.server.URL + "/portal/callback", "scope": "openid profile",
		"code_challenge_method": "S256",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, q.Get(name), want)
		}
	}
	again := must(url.Parse(b.get(t, "/portal/login").Header.Get("Location"))).Query()
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(q.Get(name)) < 22 || q.Get(name) == again.Get(name) {
			t.Errorf("%s is %q, then %q", name, q.Get(name), again.Get(name))
		}
	}
	b.browser.CheckRedirect = nil
	b.get(t, a.Header.Get("Location")) // of the first login, which the second one has replaced
	if len(b.sessions.begun) > 0 {
		t.Error("the state of an older login was taken")
	}
	b.stopAt("/authorize")
	again = must(url.Parse(b.get(t, "/portal/login").Header.Get("Location"))).Query()
	challenge := again.Get("code_challenge")
	b.browser.CheckRedirect = nil
	b.get(t, b.liar.server.URL+"/authorize?"+again.Encode())
	sum := sha256.Sum256([]byte(b.liar.asked.Get("code_verifier")))
	if base64.RawURLEncoding.EncodeToString(sum[:]) != challenge {
		t.Error("the verifier is not that of the challenge")
	}
	b.liar.asked.Del("code_verifier")
	want := url.Values{"grant_type": {"authorization_code"}, "code": {"the-code"}, "redirect_uri": {b.server.URL + "/portal/callback"}, "client_id": {clientID}}
	if diff := cmp.Diff(want, b.liar.asked); diff != "" {
		t.Errorf("the token request differs (-want +got):\n%s", diff)
	}
}

// TestTheSecretGoesAsTheProviderSays has a client with a secret, which is sent once.
func TestTheSecretGoesAsTheProviderSays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("s+1 é\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		methods any
		basic   bool
	}{
		"silent": {nil, true},
		"basic":  {[]string{"client_secret_post", "client_secret_basic"}, true},
		"post":   {[]string{"client_secret_post", "private_key_jwt"}, false},
	} {
		b := newBench(t, func(d *login.Deps) { d.Config.SecretFile = file })
		b.liar.metadata = func(m map[string]any) {
			if tt.methods != nil {
				m["token_endpoint_auth_methods_supported"] = tt.methods
			}
		}
		b.get(t, "/portal/login")
		id, secret, basic := (&http.Request{Header: b.liar.header}).BasicAuth()
		if !basic {
			id, secret = b.liar.asked.Get("client_id"), b.liar.asked.Get("client_secret")
		} else {
			secret = must(url.QueryUnescape(secret))
		}
		if basic != tt.basic || id != clientID || secret != "s+1 é" || basic && b.liar.asked.Has("client_secret") {
			t.Errorf("%s: basic %v, %q, %q", name, basic, id, secret)
		}
	}
}

func TestAStateIsForOneUse(t *testing.T) {
	b := newBench(t)
	b.stopAt("/portal/callback")
	back := b.get(t, "/portal/login").Header.Get("Location")
	b.browser.CheckRedirect = nil
	if a := b.get(t, back); a.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", a.StatusCode, a.body)
	}
	b.sessions.begun = nil
	b.browser.Jar.SetCookies(must(url.Parse(b.server.URL)), []*http.Cookie{{Name: "hub-session", MaxAge: -1, Path: "/"}})
	b.wantRefused(t, b.get(t, back), http.StatusBadRequest)
}

func TestAStateOfAnotherBrowserIsRefused(t *testing.T) {
	b := newBench(t)
	b.stopAt("/portal/callback")
	back := b.get(t, "/portal/login").Header.Get("Location")
	b.browser = b.newBrowser()
	b.wantRefused(t, b.get(t, back), http.StatusBadRequest)
	b.stopAt("/authorize")
	b.get(t, "/portal/login") // a login of its own
	b.browser.CheckRedirect = nil
	b.wantRefused(t, b.get(t, back), http.StatusBadRequest)
}

func TestAChangedCookieIsRefused(t *testing.T) {
	b := newBench(t)
	b.stopAt("/portal/callback")
	back := b.get(t, "/portal/login").Header.Get("Location")
	b.browser.CheckRedirect = nil
	good := b.cookie("hub-login").Value
	for at := 0; at < len(good); at += 7 {
		changed := []byte(good)
		changed[at] ^= 1
		b.browser.Jar.SetCookies(must(url.Parse(b.server.URL)), []*http.Cookie{{Name: "hub-login", Value: string(changed), Path: "/"}})
		b.now = func() time.Time { return time.Now().Add(time.Duration(at) * time.Second) } // not too often a minute
		b.wantRefused(t, b.get(t, back), http.StatusBadRequest)
		if at > 500 {
			break
		}
	}
}

func TestALoginTakesTenMinutesAtMost(t *testing.T) {
	for late, want := range map[time.Duration]int{10*time.Minute - time.Second: 200, 10 * time.Minute: 400} {
		b := newBench(t)
		b.stopAt("/portal/callback")
		start := time.Now()
		b.now = func() time.Time { return start }
		back := b.get(t, "/portal/login").Header.Get("Location")
		b.now = func() time.Time { return start.Add(late) }
		b.liar.claims = func(c map[string]any) {
			c["iat"], c["exp"] = start.Add(late).Unix(), start.Add(late+time.Minute).Unix()
		}
		if a := b.get(t, back); a.StatusCode != want {
			t.Errorf("after %v: %d, want %d, %s", late, a.StatusCode, want, b.log)
		}
	}
}

// TestCookieFlags looks at the cookie as it is set and as it is cleared.
func TestCookieFlags(t *testing.T) {
	for public, want := range map[string]string{
		"http://127.0.0.1:8080": "hub-login=; Path=/; Max-Age=; HttpOnly; SameSite=Lax",
		"https://hub.test":      "__Host-hub-login=; Path=/; Max-Age=; HttpOnly; Secure; SameSite=Lax",
	} {
		b := newBench(t, func(d *login.Deps) { d.PublicURL = public })
		host := must(url.Parse(public)).Host
		for _, path := range []string{login.PathLogin, login.PathCallback} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			b.ServeHTTP(w, r)
			set := w.Header().Values("Set-Cookie")
			if len(set) != 1 {
				t.Fatalf("%s sets %q", path, set)
			}
			c := w.Result().Cookies()[0]
			age := map[string]int{login.PathLogin: 600, login.PathCallback: -1}[path]
			if c.MaxAge != age || (c.Value == "") != (age < 0) {
				t.Errorf("%s: age %d, value %q", path, c.MaxAge, c.Value)
			}
			var parts []string
			for part := range strings.SplitSeq(set[0], "; ") {
				name, _, has := strings.Cut(part, "=")
				if has && (name == c.Name || name == "Max-Age") {
					part = name + "="
				}
				parts = append(parts, part)
			}
			if got := strings.Join(parts, "; "); got != want {
				t.Errorf("%s sets %q, want %q", path, got, want)
			}
		}
	}
}

func TestPeopleWhoMayNotComeIn(t *testing.T) {
	b := newBench(t)
	b.people.inactive = true
	b.wantRefused(t, b.get(t, "/portal/login"), http.StatusForbidden)
	if strings.Contains(b.log.String(), `"other_subject":true`) {
		t.Errorf("the log speaks of another subject: %s", b.log)
	}

	b = newBench(t)
	b.people.subjects["amy"] = b.liar.server.URL + " s-0"
	b.wantRefused(t, b.get(t, "/portal/login"), http.StatusForbidden)
	for _, want := range []string{`"audit":true`, `"user":"amy"`, `"subject":"s-1"`, `"other_subject":true`} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("the log has no %s: %s", want, b.log)
		}
	}
	if b.people.subjects["amy"] != b.liar.server.URL+" s-0" {
		t.Error("the person has got another subject")
	}
}

func TestLogoutURL(t *testing.T) {
	for end, want := range map[string]string{
		"":                        "",
		"https://id.test/out":     "https://id.test/out?client_id=portal",
		"https://id.test/out?a=b": "https://id.test/out?a=b&client_id=portal",
		"javascript:alert(1)":     "",
	} {
		b := newBench(t)
		b.liar.metadata = func(m map[string]any) { m["end_session_endpoint"] = end }
		if got := b.LogoutURL(context.Background()); got != want {
			t.Errorf("%q gives %q, want %q", end, got, want)
		}
	}
}

// TestTheDemoProvider walks the whole way with the provider of the desk.
func TestTheDemoProvider(t *testing.T) {
	var demo *demoidp.Provider
	b := newBench(t, func(d *login.Deps) {
		demo = must(demoidp.New(demoidp.Deps{PublicURL: d.PublicURL, RedirectURI: d.PublicURL + login.PathCallback}))
		d.Issuer, d.Keys, d.Transport, d.Config.ClientID = demo.Issuer(), keys.Local(demo.Keys), demo, demoidp.ClientID
	})
	b.stopAt(demoidp.PathAuthorize)
	to := b.get(t, "/portal/login").Header.Get("Location")
	w := httptest.NewRecorder()
	demo.ServeHTTP(w, httptest.NewRequest(http.MethodGet, to+"&user=carla", nil))
	if a := b.get(t, w.Header().Get("Location")); a.StatusCode != http.StatusOK {
		t.Fatalf("%d %s %s", a.StatusCode, a.body, b.log)
	}
	if who := b.sessions.begun[0]; who.Username != "carla" || who.Subject != "demo-carla" || !cmp.Equal(who.Roles, []string{"hub-admin"}) {
		t.Errorf("logged in: %v", who)
	}
}
