package token

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const (
	minLifetime = time.Minute
	maxLifetime = 24 * time.Hour
)

// Config are the settings of Hub's own issuer.
type Config struct {
	PublicURL       string        `env:"HUB_PUBLIC_URL" help:"address under which callers reach the edge, without a slash at the end; the iss of Hub's own tokens; empty: derived from HUB_HTTP_ADDR"`
	Audience        string        `env:"HUB_AUDIENCE" envDefault:"hub" help:"aud of the access tokens"`
	ClientsFile     string        `env:"HUB_CLIENTS_FILE" help:"JSON file with the clients that may get tokens; read again when it changes"`
	SigningKeysFile string        `env:"HUB_SIGNING_KEYS_FILE" help:"PEM file with RSA private keys, of which the first signs and all are published; read again when it changes"`
	Lifetime        time.Duration `env:"HUB_TOKEN_LIFETIME" envDefault:"1h" help:"lifetime of Hub's own tokens, 1m to 24h"`
}

// Validate tells all faults of the settings, one in a line.
func (c Config) Validate() error {
	var faults []error
	if c.PublicURL != "" {
		if err := checkPublicURL(c.PublicURL); err != nil {
			faults = append(faults, fmt.Errorf("HUB_PUBLIC_URL %w", err))
		}
	}
	if c.Audience == "" {
		faults = append(faults, errors.New("HUB_AUDIENCE must not be empty"))
	}
	if c.Lifetime < minLifetime || c.Lifetime > maxLifetime {
		faults = append(faults, fmt.Errorf("HUB_TOKEN_LIFETIME must be from %v to %v", minLifetime, maxLifetime))
	}
	return errors.Join(faults...)
}

// checkPublicURL checks what RFC 8414 section 2 asks of an issuer. Plain http is allowed, since TLS
// may end in front of the edge and a desk has none.
func checkPublicURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("must be an http or https URL")
	case u.User != nil || strings.ContainsAny(s, "?#"):
		return errors.New("must have no user, query or fragment")
	case strings.HasSuffix(s, "/"):
		return errors.New("must not end with a slash")
	}
	return nil
}
