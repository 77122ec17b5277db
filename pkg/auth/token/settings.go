package token

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"

	"example.com/hub/pkg/auth/discovery"
	"example.com/hub/pkg/auth/keys"
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

	// Users is Config.Users.
	Users bool
}

// Validate tells all faults of the settings, one in a line.
func (s Settings) Validate() error {
	var faults []error
	check := func(name string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
	}
	if !s.own() {
		check("HUB_ISSUER_URL", discovery.CheckIssuerURL(s.IssuerURL))
	}
	if s.PublicURL != "" {
		check("HUB_PUBLIC_URL", discovery.CheckPublicURL(s.PublicURL))
	}
	if s.JWKSURL != "" {
		check("HUB_JWKS_URL", discovery.CheckURL(s.JWKSURL))
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

// own tells whether Hub itself issues the tokens.
func (s Settings) own() bool { return s.IssuerURL == "" }

// Open makes a verifier with the issuer's published keys. It does not wait for them: until they come
// Verify and Ready answer a fault of kind Unavailable. The settings must be valid, and the keys must
// be closed.
func (s Settings) Open(logger *slog.Logger) (*Verifier, *keys.Remote) {
	remote := keys.Config{Issuer: s.IssuerURL, JWKSURL: s.JWKSURL, Logger: logger}
	if s.own() && remote.JWKSURL == "" {
		remote.JWKSURL = s.PublicURL + pathKeys
	}
	published := keys.NewRemote(remote)
	return s.Verifier(published), published
}

// Verifier makes a verifier with keys from anywhere, such as keys.Local of an issuer in the same
// process.
func (s Settings) Verifier(set oidc.KeySet) *Verifier {
	cfg := Config{
		Issuer:         s.IssuerURL,
		Audience:       s.Audience,
		ClientIDClaims: s.ClientIDClaims,
		ScopeClaims:    s.ScopeClaims,
		Users:          s.Users,
		Keys:           set,
	}
	if s.own() {
		cfg.Issuer = s.PublicURL
		cfg.RequireType = TypeAccess
		if cfg.Audience == "" {
			cfg.Audience = DefaultAudience
		}
	}
	return New(cfg)
}
