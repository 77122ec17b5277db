package demoidp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/demoidp"
)

const (
	publicURL = "http://127.0.0.1:8080"
	callback  = publicURL + "/portal/callback"
	verifier  = "a-verifier-of-at-least-forty-three-characters-"
)

// bench is a provider with a clock that the test moves.
type bench struct {
	*demoidp.Provider
	now time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	var err error
	b.Provider, err = demoidp.New(demoidp.Deps{
		PublicURL: publicURL, RedirectURI: callback, Clock: func() time.Time { return b.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// with are parameters with changes; an empty value leaves one out.
func with(values url.Values, changes []string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
		if changes[i+1] == "" {
			values.Del(changes[i])
		}
	}
	return values
}

// authorize asks as Hub does, for amy.
func (b *bench) authorize(t *testing.T, changes ...string) *httptest.ResponseRecorder {
	t.Helper()
	sum := sha256.Sum256([]byte(verifier))
	return b.ask(t, with(url.Values{
		"response_type": {"code"}, "client_id": {demoidp.ClientID}, "redirect_uri": {callback}, "scope": {"openid profile email"},
		"state": {"s&1"}, "nonce": {"n1"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"user": {"amy"},
	}, changes).Encode())
}

func (b *bench) ask(t *testing.T, query string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, demoidp.PathAuthorize+"?"+query, nil))
	return w
}

// back reads the redirect to the client.
func back(t *testing.T, w *httptest.ResponseRecorder) url.Values {
	t.Helper()
	to, err := url.Parse(w.Header().Get("Location"))
	if err != nil || w.Code != http.StatusSeeOther || !strings.HasPrefix(to.String(), callback+"?") {
		t.Fatalf("status %d, location %q, %s", w.Code, w.Header().Get("Location"), w.Body)
	}
	return to.Query()
}

func (b *bench) code(t *testing.T, changes ...string) string {
	t.Helper()
	return back(t, b.authorize(t, changes...)).Get("code")
}

func (b *bench) exchange(t *testing.T, code string, changes ...string) *httptest.ResponseRecorder {
	t.Helper()
	form := with(url.Values{
		"grant_type": {"authorization_code"}, "client_id": {demoidp.ClientID}, "redirect_uri": {callback},
		"code": {code}, "code_verifier": {verifier},
	}, changes)
	r := httptest.NewRequest(http.MethodPost, demoidp.PathToken, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// claims reads a token whose signature must be that of the provider.
func (b *bench) claims(t *testing.T, token string) (typ string, claims map[string]any) {
	t.Helper()
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := signed.Verify(b.Keys()[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	delete(claims, "jti")
	return fmt.Sprint(signed.Signatures[0].Protected.ExtraHeaders["typ"]), claims
}

func TestACodeBecomesTokens(t *testing.T) {
	b := newBench(t)
	answer := back(t, b.authorize(t, "user", "carla"))
	if answer.Get("state") != "s&1" || answer.Get("iss") != publicURL+"/demo/oidc" {
		t.Errorf("the client is told %v", answer)
	}
	w := b.exchange(t, answer.Get("code"))
	var tokens struct {
		ID     string `json:"id_token"`
		Access string `json:"access_token"`
		Type   string `json:"token_type"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &tokens); err != nil || w.Code != http.StatusOK || tokens.Type != "Bearer" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	now := float64(b.now.Unix())
	person := map[string]any{
		"iss": b.Issuer(), "iat": now, "sub": "demo-carla", "preferred_username": "carla", "name": "Carla",
		"email": "carla@hub.example", "roles": []any{"hub-admin"},
	}
	for token, more := range map[string]map[string]any{
		tokens.ID:     {"typ": "JWT", "aud": demoidp.ClientID, "nonce": "n1", "auth_time": now, "exp": now + 300},
		tokens.Access: {"typ": "at+jwt", "aud": demoidp.Audience, "client_id": demoidp.ClientID, "scope": "openid profile email hub:user", "exp": now + 3600},
	} {
		typ, got := b.claims(t, token)
		got["typ"] = typ
		for name, value := range person {
			more[name] = value
		}
		if diff := cmp.Diff(more, got); diff != "" {
			t.Errorf("claims differ (-want +got):\n%s", diff)
		}
	}
}

func TestThePageOffersEveryone(t *testing.T) {
	for _, user := range []string{"", "mallory"} {
		w := newBench(t).authorize(t, "user", user)
		for _, want := range []string{"user=amy", "user=ben", "user=carla", "staff", "hub-admin", "state=s%261"} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("the page has no %s:\n%s", want, w.Body)
			}
		}
		if w.Code != http.StatusOK {
			t.Errorf("status %d", w.Code)
		}
	}
}

func TestNobodyIsSentToAnotherAddress(t *testing.T) {
	b := newBench(t)
	for name, change := range map[string][]string{
		"no client":           {"client_id", ""},
		"another client":      {"client_id", "erp"},
		"no address":          {"redirect_uri", ""},
		"another host":        {"redirect_uri", "http://127.0.0.1:8081/portal/callback"},
		"another path":        {"redirect_uri", callback + "/"},
		"another query":       {"redirect_uri", callback + "?x=1"},
		"another case":        {"redirect_uri", strings.Replace(callback, "portal", "Portal", 1)},
		"a part of the right": {"redirect_uri", strings.TrimSuffix(callback, "k")},
	} {
		if w := b.authorize(t, change...); w.Code != http.StatusBadRequest || w.Header().Get("Location") != "" {
			t.Errorf("%s: %d to %q", name, w.Code, w.Header().Get("Location"))
		}
	}
	if w := b.ask(t, "client_id=hub-portal&redirect_uri="+url.QueryEscape(callback)+"&state=1&state=2"); w.Code != http.StatusBadRequest {
		t.Errorf("a repeated parameter: %d", w.Code)
	}
}

func TestTheClientIsToldOfItsFaults(t *testing.T) {
	b := newBench(t)
	for want, changes := range map[string][][]string{
		"unsupported_response_type": {{"response_type", ""}, {"response_type", "token"}, {"response_type", "code id_token"}},
		"invalid_request": {
			{"code_challenge", ""},
			{"code_challenge_method", ""},
			{"code_challenge_method", "plain"},
			{"code_challenge", "short"},
			{"code_challenge", verifier},
		},
		"invalid_scope":  {{"scope", ""}, {"scope", "profile"}},
		"login_required": {{"prompt", "none"}},
	} {
		for _, change := range changes {
			answer := back(t, b.authorize(t, change...))
			if answer.Get("error") != want || answer.Has("code") || answer.Get("state") != "s&1" || answer.Get("iss") != b.Issuer() {
				t.Errorf("%v: %v, want %s", change, answer, want)
			}
		}
	}
}

func TestCodesAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		changes []string
		want    string
	}{
		"another grant":    {[]string{"grant_type", "client_credentials"}, "unsupported_grant_type"},
		"another client":   {[]string{"client_id", "erp"}, "invalid_client"},
		"no code":          {[]string{"code", ""}, "invalid_grant"},
		"a made-up code":   {[]string{"code", "x"}, "invalid_grant"},
		"another address":  {[]string{"redirect_uri", publicURL}, "invalid_grant"},
		"no verifier":      {[]string{"code_verifier", ""}, "invalid_grant"},
		"another verifier": {[]string{"code_verifier", verifier + "x"}, "invalid_grant"},
	} {
		b := newBench(t)
		code := b.code(t)
		if w := b.exchange(t, code, tt.changes...); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: %d %s, want %s", name, w.Code, w.Body, tt.want)
		}
	}
}

func TestACodeIsForOneUse(t *testing.T) {
	b := newBench(t)
	for name, first := range map[string][]string{"used": nil, "tried with a wrong verifier": {"code_verifier", "x"}} {
		code := b.code(t)
		b.exchange(t, code, first...)
		if w := b.exchange(t, code); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestACodeLivesForAMinute(t *testing.T) {
	b := newBench(t)
	early, late := b.code(t), b.code(t)
	b.now = b.now.Add(time.Minute - time.Nanosecond)
	if w := b.exchange(t, early); w.Code != http.StatusOK {
		t.Errorf("just in time: %d %s", w.Code, w.Body)
	}
	b.now = b.now.Add(time.Nanosecond)
	if w := b.exchange(t, late); w.Code != http.StatusBadRequest {
		t.Errorf("too late: %d %s", w.Code, w.Body)
	}
}

func TestCodesAreBounded(t *testing.T) {
	b := newBench(t)
	first := b.code(t)
	second := b.code(t)
	for range 999 {
		b.code(t)
	}
	if w := b.exchange(t, first); w.Code != http.StatusBadRequest {
		t.Errorf("the oldest of 1001 codes is still there: %d", w.Code)
	}
	if w := b.exchange(t, second); w.Code != http.StatusOK {
		t.Errorf("one of the last 1000 codes is gone: %d %s", w.Code, w.Body)
	}
}

func TestDiscoveryTellsTheTruth(t *testing.T) {
	b := newBench(t)
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, demoidp.PathDiscovery, nil))
	var metadata map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &metadata); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"issuer": b.Issuer(), "authorization_endpoint": b.Issuer() + "/authorize", "token_endpoint": b.Issuer() + "/token",
		"jwks_uri": b.Issuer() + "/jwks.json", "authorization_response_iss_parameter_supported": true,
	} {
		if diff := cmp.Diff(want, metadata[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	w = httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, demoidp.PathKeys, nil))
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(w.Body.Bytes(), &set); err != nil || len(set.Keys) != 1 || !set.Keys[0].IsPublic() {
		t.Errorf("keys %s, %v", w.Body, err)
	}
}
