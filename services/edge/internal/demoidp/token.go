package demoidp

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	idTokenLifetime = 5 * time.Minute
	accessLifetime  = time.Hour
	// maxForm is more than any token request has, in bytes.
	maxForm = 16 << 10
)

// ServeToken answers PathToken for the grant authorization_code (RFC 6749 section 4.1.3, RFC 7636).
func (p *Provider) ServeToken(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || repeated(r.PostForm) {
		refuse(w, "invalid_request")
		return
	}
	form := r.PostForm
	switch {
	case form.Get("grant_type") != "authorization_code":
		refuse(w, "unsupported_grant_type")
		return
	case form.Get("client_id") != ClientID:
		refuse(w, "invalid_client")
		return
	}
	// A code is taken whether or not the rest is right, so that nobody can try it twice.
	g, ok := p.codes.take(form.Get("code"))
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	if !ok || form.Get("redirect_uri") != p.redirectURI || subtle.ConstantTimeCompare([]byte(challenge), []byte(g.challenge)) != 1 {
		refuse(w, "invalid_grant")
		return
	}
	answer, err := p.tokens(g)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func refuse(w http.ResponseWriter, code string) {
	writeJSON(w, http.StatusBadRequest, fmt.Appendf(nil, `{"error":%q}`, code))
}

// tokens makes the answer to a code.
func (p *Provider) tokens(g grant) ([]byte, error) {
	now := p.clock()
	id := g.user.claims()
	maps.Copy(id, map[string]any{
		"iss": p.issuer, "aud": ClientID, "iat": now.Unix(), "auth_time": now.Unix(), "exp": now.Add(idTokenLifetime).Unix(),
	})
	if g.nonce != "" {
		id["nonce"] = g.nonce
	}
	idToken, err := sign(p.idTokens, id)
	if err != nil {
		return nil, err
	}
	scope := g.scope + " " + ScopeUser
	access := g.user.claims()
	maps.Copy(access, map[string]any{
		"iss": p.issuer, "aud": Audience, "client_id": ClientID, "scope": scope, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(accessLifetime).Unix(),
	})
	accessToken, err := sign(p.accesses, access)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"access_token": accessToken, "token_type": "Bearer", "expires_in": int(accessLifetime.Seconds()),
		"id_token": idToken, "scope": scope,
	})
}

func sign(s jose.Signer, claims map[string]any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("encode token: %w", err)
	}
	signed, err := s.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return signed.CompactSerialize() //nolint:wrapcheck // it cannot fail for what was just signed
}
