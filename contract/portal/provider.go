package portal

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Provider is an OpenID Connect provider on loopback for targets that have none. Its people are all whom one
// asks for.
type Provider struct {
	url string
	key *rsa.PrivateKey

	mu    sync.Mutex
	codes map[string]url.Values // the requests that codes answer
}

const (
	providerClient   = "hub-login"
	providerAudience = "hub-people"
)

// NewProvider runs one until the test is over. It must be there before the target, which has its Settings.
func NewProvider(t testing.TB) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p := &Provider{url: server.URL, key: key, codes: map[string]url.Values{}}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{
			"issuer": p.url, "authorization_endpoint": p.url + "/authorize", "token_endpoint": p.url + "/token", "jwks_uri": p.url + "/keys",
			"end_session_endpoint": p.url + "/end", "authorization_response_iss_parameter_supported": true,
			"id_token_signing_alg_values_supported": []string{"RS256"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		encode := base64.RawURLEncoding.EncodeToString
		writeJSON(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "people", "use": "sig", "alg": "RS256",
			"n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("POST /token", p.serveToken)
	return p
}

// Settings are those by which a target knows the provider, NAME=value.
func (p *Provider) Settings() []string {
	return []string{
		"HUB_USER_ISSUER_URL=" + p.url, "HUB_USER_AUDIENCE=" + providerAudience, "HUB_LOGIN_CLIENT_ID=" + providerClient,
	}
}

// Names implements People with names that no run has used before.
func (p *Provider) Names() (string, string) {
	return "amy-" + rand.Text()[:10], "ben-" + rand.Text()[:10]
}

// adminPrefix begins the names of administrators.
const adminPrefix = "carla-"

// Admin implements People.
func (p *Provider) Admin() string { return adminPrefix + rand.Text()[:10] }

// Answer implements People.
func (p *Provider) Answer(t *testing.T, address, username string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	asked, code := u.Query(), rand.Text()
	asked.Set("user", username)
	p.mu.Lock()
	p.codes[code] = asked
	p.mu.Unlock()
	return asked.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {asked.Get("state")}, "iss": {p.url}}.Encode()
}

// Token implements People.
func (p *Provider) Token(t *testing.T, username string) string {
	t.Helper()
	return p.Sign(t, "at+jwt", accessClaims(username))
}

// accessClaims are those of a good access token of a person, but for iss, iat and exp.
func accessClaims(username string) map[string]any {
	claims := map[string]any{
		"aud": providerAudience, "sub": "s-" + username, "client_id": "app", "scope": "openid hub:user",
		"preferred_username": username, "name": "Name of " + username, "jti": rand.Text(),
	}
	if strings.HasPrefix(username, adminPrefix) {
		claims["roles"] = []string{"hub-admin"}
	}
	return claims
}

// Sign makes a token of claims, which get iss, iat and exp where they have none.
func (p *Provider) Sign(t testing.TB, typ string, claims map[string]any) string {
	t.Helper()
	all := map[string]any{"iss": p.url, "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(all, claims)
	token, err := p.sign(typ, all)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (p *Provider) sign(typ string, claims map[string]any) (string, error) {
	header, err := json.Marshal(map[string]any{"alg": "RS256", "kid": "people", "typ": typ})
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	input := encode(header) + "." + encode(payload)
	sum := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(nil, p.key, crypto.SHA256, sum[:])
	return input + "." + encode(signature), err
}

// serveToken exchanges a code, once, for an ID token.
func (p *Provider) serveToken(w http.ResponseWriter, r *http.Request) {
	code := r.PostFormValue("code")
	p.mu.Lock()
	asked, ok := p.codes[code]
	delete(p.codes, code)
	p.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") || r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	}
	now := time.Now()
	claims := accessClaims(asked.Get("user"))
	maps.Copy(claims, map[string]any{
		"iss": p.url, "aud": asked.Get("client_id"), "nonce": asked.Get("nonce"), "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	})
	delete(claims, "scope")
	token, err := p.sign("JWT", claims)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"access_token": "opaque", "token_type": "Bearer", "expires_in": 300, "id_token": token})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
