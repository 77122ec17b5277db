// Package demoidp is a small OpenID Connect provider for a desk: three people whom one chooses from a page
// without a password. Hub logs them in as it does those of a real provider.
package demoidp

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/rest"
)

// The issuer is Path below the public URL of Hub; the others are below the issuer.
const (
	Path          = "/demo/oidc"
	PathDiscovery = Path + "/.well-known/openid-configuration"
	PathAuthorize = Path + "/authorize"
	PathToken     = Path + "/token"
	PathKeys      = Path + "/jwks.json"
)

const (
	// ClientID is the only client. It has no secret, and proves itself by PKCE.
	ClientID = "hub-portal"
	// Audience is that of the access tokens, which are user tokens of Hub.
	Audience = "hub-users"
	// ScopeUser is a scope of the access tokens besides those that were asked for.
	ScopeUser = "hub:user"
)

// keyID is the same in each run, though the key is not: what an earlier run signed has a wrong signature.
const keyID = "demo"

// Deps are what a provider is made of.
type Deps struct {
	// PublicURL is that of Hub, without a slash at the end.
	PublicURL string
	// RedirectURI is the only address that codes are sent to.
	RedirectURI string
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
}

// Provider is the demo provider. Its key and its codes are in memory only.
type Provider struct {
	issuer, redirectURI string
	clock               func() time.Time
	keys                []jose.JSONWebKey
	idTokens, accesses  jose.Signer
	discovery, keySet   []byte
	codes               *codes
}

// New makes a provider with a key of its own.
func New(d Deps) (*Provider, error) {
	p := &Provider{issuer: d.PublicURL + Path, redirectURI: d.RedirectURI, clock: d.Clock}
	if p.clock == nil {
		p.clock = time.Now
	}
	p.codes = newCodes(p.clock)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	p.keys = []jose.JSONWebKey{{Key: private.Public(), KeyID: keyID, Algorithm: string(jose.ES256), Use: "sig"}}
	signing := jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: private, KeyID: keyID}}
	var faults [4]error
	p.idTokens, faults[0] = jose.NewSigner(signing, (&jose.SignerOptions{}).WithType("JWT"))
	p.accesses, faults[1] = jose.NewSigner(signing, (&jose.SignerOptions{}).WithType("at+jwt"))
	p.keySet, faults[2] = json.Marshal(jose.JSONWebKeySet{Keys: p.keys})
	p.discovery, faults[3] = json.Marshal(p.metadata(d.PublicURL))
	if err := errors.Join(faults[:]...); err != nil {
		return nil, fmt.Errorf("make provider: %w", err)
	}
	return p, nil
}

// Issuer is the iss of the tokens.
func (p *Provider) Issuer() string { return p.issuer }

// Keys are the public keys, for keys.Local.
func (p *Provider) Keys() []jose.JSONWebKey { return p.keys }

func (p *Provider) metadata(publicURL string) map[string]any {
	return map[string]any{
		"issuer":                                         p.issuer,
		"authorization_endpoint":                         publicURL + PathAuthorize,
		"token_endpoint":                                 publicURL + PathToken,
		"jwks_uri":                                       publicURL + PathKeys,
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{"authorization_code"},
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{string(jose.ES256)},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"code_challenge_methods_supported":               []string{"S256"},
		"scopes_supported":                               []string{"openid", "profile", "email"},
		"authorization_response_iss_parameter_supported": true,
	}
}

// ServeDiscovery answers PathDiscovery.
func (p *Provider) ServeDiscovery(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, p.discovery)
}

// ServeKeys answers PathKeys.
func (p *Provider) ServeKeys(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, p.keySet)
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// Area lists the endpoints of the demo.
func (p *Provider) Area() rest.Area {
	anyone := auth.Rule{Anyone: true}
	return rest.Area{Endpoints: []rest.Endpoint{
		{Method: http.MethodGet, Path: PathDiscovery, Rule: anyone, Serve: p.ServeDiscovery},
		{Method: http.MethodGet, Path: PathAuthorize, Rule: anyone, Serve: p.ServeAuthorize},
		{Method: http.MethodPost, Path: PathToken, Rule: anyone, Serve: p.ServeToken},
		{Method: http.MethodGet, Path: PathKeys, Rule: anyone, Serve: p.ServeKeys},
		{Method: http.MethodGet, Path: PathClient, Rule: anyone, Serve: p.ServeClient},
	}}
}

// ServeHTTP answers all paths of the provider, for who calls it without a server.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, e := range p.Area().Endpoints {
		if e.Method == r.Method && e.Path == r.URL.Path {
			e.Serve(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

// RoundTrip implements http.RoundTripper: it answers in memory, so that the login of the same process needs
// neither an address nor a certificate of it.
func (p *Provider) RoundTrip(r *http.Request) (*http.Response, error) {
	a := answer{header: http.Header{}, status: http.StatusOK}
	p.ServeHTTP(&a, r)
	return &http.Response{
		StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header, Request: r,
		Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()),
	}, nil
}

// answer keeps what a handler answers.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
