package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// DefaultAudience is the aud of Hub's own tokens unless HUB_AUDIENCE names another.
const DefaultAudience = "hub"

// pathKeys is where Hub's own issuer publishes its keys, below its public URL.
const pathKeys = "/.well-known/jwks.json"

// Settings say whose access tokens a service accepts: those of Hub's own issuer, or those of an
// outside provider.
type Settings struct {
	IssuerURL      string   `env:"HUB_ISSUER_URL"                                    first:"true" help:"issuer of an outside identity provider, exactly as iss of its tokens names it; empty: Hub's own issuer"`
	PublicURL      string   `env:"HUB_PUBLIC_URL"                                    first:"true" help:"address under which callers reach the edge, without a slash at the end; the iss of Hub's own tokens; the binary hub derives it from HUB_HTTP_ADDR when it is empty"`
	JWKSURL        string   `env:"HUB_JWKS_URL"                                      help:"address of the issuer's keys; empty: below HUB_PUBLIC_URL for Hub's own issuer, found by discovery for an outside one"`
	Audience       string   `env:"HUB_AUDIENCE"                                      help:"aud that access tokens must have; empty: hub for Hub's own issuer, not checked for an outside one"`
	ClientIDClaims []string `env:"HUB_CLIENT_ID_CLAIMS" envDefault:"client_id,azp"   help:"comma-separated claims that may name the client; the first one that a token has counts"`
	ScopeClaims    []string `env:"HUB_SCOPE_CLAIMS"     envDefault:"scope,scp"       help:"comma-separated claims that may hold scopes, each a string with blanks between the scopes or an array; all count together"`
}

// Validate tells all faults of the settings, one in a line.
func (s Settings) Validate() error {
	var faults []error
	check := func(name string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	switch {
	case !s.own():
		check("HUB_ISSUER_URL", CheckIssuerURL(s.IssuerURL))
	case s.PublicURL != "":
		check("HUB_PUBLIC_URL", CheckPublicURL(s.PublicURL))
	}
	if s.JWKSURL != "" {
		check("HUB_JWKS_URL", CheckURL(s.JWKSURL))
	}
	check("HUB_CLIENT_ID_CLAIMS", checkClaimNames(s.ClientIDClaims))
	check("HUB_SCOPE_CLAIMS", checkClaimNames(s.ScopeClaims))
	return errors.Join(faults...)
}

// NeedIssuer fails when neither setting names the issuer of the tokens. Only the binary hub knows its
// own address without being told.
func (s Settings) NeedIssuer() error {
	if s.own() && s.PublicURL == "" {
		return errors.New("HUB_PUBLIC_URL: must not be empty without HUB_ISSUER_URL")
	}
	return nil
}

func checkClaimNames(names []string) error {
	if slices.ContainsFunc(names, func(n string) bool { return n == "" || strings.ContainsAny(n, " \t") }) {
		return errors.New("must be names without blanks, with a comma between them")
	}
	return nil
}

// CheckURL tells why s cannot be the address of an endpoint.
func CheckURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("must be an http or https URL, not %q", s)
	case u.User != nil || strings.Contains(s, "#"):
		return errors.New("must have no user and no fragment")
	}
	return nil
}

// CheckIssuerURL tells why s cannot be an issuer (RFC 8414 section 2). Plain http is allowed, since
// TLS may end in front of the issuer and a desk has none.
func CheckIssuerURL(s string) error {
	if err := CheckURL(s); err != nil {
		return err
	}
	if strings.Contains(s, "?") {
		return errors.New("must have no query")
	}
	return nil
}

// CheckPublicURL tells why s cannot be the public URL of Hub, to which paths are appended.
func CheckPublicURL(s string) error {
	if err := CheckIssuerURL(s); err != nil {
		return err
	}
	if strings.HasSuffix(s, "/") {
		return errors.New("must not end with a slash")
	}
	return nil
}

// own tells whether Hub itself issues the tokens.
func (s Settings) own() bool { return s.IssuerURL == "" }

// Open makes a verifier with the issuer's published keys. It does not wait for them: until they come
// Verify and Ready answer a fault of kind Unavailable. The settings must be valid, and the keys must
// be closed.
func (s Settings) Open(logger *slog.Logger) (*TokenVerifier, *RemoteKeys) {
	remote := RemoteConfig{Issuer: s.IssuerURL, JWKSURL: s.JWKSURL, Logger: logger}
	if s.own() && remote.JWKSURL == "" {
		remote.JWKSURL = s.PublicURL + pathKeys
	}
	keys := NewRemoteKeys(remote)
	return s.Verifier(keys), keys
}

// Verifier makes a verifier with keys from anywhere, such as LocalKeys of an issuer in the same
// process.
func (s Settings) Verifier(keys oidc.KeySet) *TokenVerifier {
	cfg := Config{
		Issuer:         s.IssuerURL,
		Audience:       s.Audience,
		ClientIDClaims: s.ClientIDClaims,
		ScopeClaims:    s.ScopeClaims,
		Keys:           keys,
	}
	if s.own() {
		cfg.Issuer = s.PublicURL
		cfg.RequireType = TypeAccessToken
		if cfg.Audience == "" {
			cfg.Audience = DefaultAudience
		}
	}
	return NewVerifier(cfg)
}

// TokenEndpoint asks the metadata of an issuer where its token endpoint is (OpenID Connect Discovery
// section 4). The document must be of exactly this issuer, and an https issuer cannot lead to http.
// A nil client means one without kept connections.
func TokenEndpoint(ctx context.Context, client *http.Client, issuer string) (string, error) {
	var metadata struct {
		Issuer        string `json:"issuer"`
		TokenEndpoint string `json:"token_endpoint"`
	}
	s := newSource(RemoteConfig{Issuer: issuer, Client: client})
	address := strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
	if err := s.get(ctx, address, &metadata); err != nil {
		return "", err
	}
	if metadata.Issuer != issuer {
		return "", fmt.Errorf("the document is of the issuer %q", metadata.Issuer)
	}
	if err := CheckURL(metadata.TokenEndpoint); err != nil {
		return "", fmt.Errorf("token_endpoint %w", err)
	}
	from, err := url.Parse(issuer)
	if err != nil {
		return "", fmt.Errorf("parse the issuer: %w", err)
	}
	to, err := url.Parse(metadata.TokenEndpoint)
	if err != nil {
		return "", fmt.Errorf("parse token_endpoint: %w", err)
	}
	return metadata.TokenEndpoint, checkDowngrade(from, to)
}
