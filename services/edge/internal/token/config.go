package token

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/hub/pkg/auth"
)

const (
	minLifetime = time.Minute
	maxLifetime = 24 * time.Hour
)

// Config are the settings of the token endpoint: those of Hub's own issuer and, in Forward, those of
// an edge that forwards to an outside provider.
type Config struct {
	// PublicURL and Audience are those of auth.Settings. Without an audience it is auth.DefaultAudience.
	PublicURL, Audience string

	ClientsFile      string        `env:"HUB_CLIENTS_FILE" first:"true" help:"JSON file with the clients that may get tokens; read again when it changes"`
	AllowDemoSecrets bool          `env:"HUB_ALLOW_DEMO_SECRETS" envDefault:"false" help:"whether clients of HUB_CLIENTS_FILE may have the published secrets of the demo clients on a listener that is not loopback; for trials only"`
	SigningKeysFile  string        `env:"HUB_SIGNING_KEYS_FILE" first:"true" help:"PEM file with RSA private keys, of which the first signs and all are published; read again when it changes"`
	Lifetime         time.Duration `env:"HUB_TOKEN_LIFETIME" envDefault:"1h" help:"lifetime of Hub's own tokens, 1m to 24h"`

	Forward ForwarderConfig
}

// Validate tells all faults of the settings of Hub's own issuer, one in a line.
func (c Config) Validate() error {
	var faults []error
	if c.PublicURL != "" {
		if err := auth.CheckPublicURL(c.PublicURL); err != nil {
			faults = append(faults, fmt.Errorf("HUB_PUBLIC_URL: %w", err))
		}
	}
	if c.Lifetime < minLifetime || c.Lifetime > maxLifetime {
		faults = append(faults, fmt.Errorf("HUB_TOKEN_LIFETIME: must be from %v to %v, not %v", minLifetime, maxLifetime, c.Lifetime))
	}
	return errors.Join(faults...)
}

// ForwarderConfig are the settings of a Forwarder.
type ForwarderConfig struct {
	TokenURL string `env:"HUB_TOKEN_URL" help:"token endpoint of the outside identity provider; empty: found by discovery from HUB_ISSUER_URL"`
	Scope    string `env:"HUB_TOKEN_SCOPE" help:"scope that the outside identity provider is asked for in the place of client, such as api://hub/.default; empty: scopes are forwarded as they are"`
}

// Validate tells all faults of the settings, one in a line.
func (c ForwarderConfig) Validate() error {
	var faults []error
	if c.TokenURL != "" {
		if err := auth.CheckURL(c.TokenURL); err != nil {
			faults = append(faults, fmt.Errorf("HUB_TOKEN_URL: %w", err))
		}
	}
	if c.Scope != "" {
		for scope := range strings.SplitSeq(c.Scope, " ") {
			if !validScope(scope) {
				faults = append(faults, errors.New("HUB_TOKEN_SCOPE: must be scopes with one blank between them, without quotes and backslashes"))
				break
			}
		}
	}
	return errors.Join(faults...)
}
