package issuer

import (
	"errors"
	"fmt"
	"time"

	"example.com/hub/pkg/auth/discovery"
)

const (
	minLifetime = time.Minute
	maxLifetime = 24 * time.Hour
)

// Config are the settings of Hub's own issuer.
type Config struct {
	// PublicURL and Audience are those of token.Settings. Without an audience it is token.DefaultAudience.
	PublicURL, Audience string

	ClientsFile      string        `env:"HUB_CLIENTS_FILE" first:"true" help:"JSON file with the clients that may get tokens; read again when it changes"`
	AllowDemoSecrets bool          `env:"HUB_ALLOW_DEMO_SECRETS" envDefault:"false" help:"whether clients of HUB_CLIENTS_FILE may have the published secrets of the demo clients on a listener that is not loopback; for trials only"`
	SigningKeysFile  string        `env:"HUB_SIGNING_KEYS_FILE" first:"true" help:"PEM file with RSA private keys, of which the first signs and all are published; read again when it changes"`
	Lifetime         time.Duration `env:"HUB_TOKEN_LIFETIME" envDefault:"1h" help:"lifetime of Hub's own tokens, 1m to 24h"`
}

// Validate tells all faults of the settings, one in a line.
func (c Config) Validate() error {
	var faults []error
	if c.PublicURL != "" {
		if err := discovery.CheckPublicURL(c.PublicURL); err != nil {
			faults = append(faults, fmt.Errorf("HUB_PUBLIC_URL: %w", err))
		}
	}
	if c.Lifetime < minLifetime || c.Lifetime > maxLifetime {
		faults = append(faults, fmt.Errorf("HUB_TOKEN_LIFETIME: must be from %v to %v, not %v", minLifetime, maxLifetime, c.Lifetime))
	}
	return errors.Join(faults...)
}
