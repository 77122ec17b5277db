package forwarder

import (
	"errors"
	"fmt"
	"strings"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/discovery"
)

// Config are the settings of a Forwarder.
type Config struct {
	TokenURL string `env:"HUB_TOKEN_URL" help:"token endpoint of the outside identity provider; empty: found by discovery from HUB_ISSUER_URL"`
	Scope    string `env:"HUB_TOKEN_SCOPE" help:"scope that the outside identity provider is asked for in the place of client, such as api://hub/.default; empty: scopes are forwarded as they are"`
}

// Validate tells all faults of the settings, one in a line.
func (c Config) Validate() error {
	var faults []error
	if c.TokenURL != "" {
		if err := discovery.CheckURL(c.TokenURL); err != nil {
			faults = append(faults, fmt.Errorf("HUB_TOKEN_URL: %w", err))
		}
	}
	if c.Scope != "" {
		for scope := range strings.SplitSeq(c.Scope, " ") {
			if !auth.ValidScope(scope) {
				faults = append(faults, errors.New("HUB_TOKEN_SCOPE: must be scopes with one blank between them, without quotes and backslashes"))
				break
			}
		}
	}
	return errors.Join(faults...)
}
