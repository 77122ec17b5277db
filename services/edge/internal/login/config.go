package login

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/hub/services/edge/internal/origin"
)

// Config are the settings of the login.
type Config struct {
	ClientID   string   `env:"HUB_LOGIN_CLIENT_ID"          first:"true" help:"client id of Hub at the provider of HUB_USER_ISSUER_URL, for people who log in; empty: nobody logs in, but for the demo users"`
	SecretFile string   `env:"HUB_LOGIN_CLIENT_SECRET_FILE" help:"file with the secret of that client, read again when it changes; empty: the client is public and has PKCE alone"`
	Scopes     []string `env:"HUB_LOGIN_SCOPES" envDefault:"openid,profile,email" help:"comma-separated scopes that the provider is asked for, openid among them"`
}

// Validate tells all faults of the settings, one in a line.
func (c Config) Validate() error {
	var faults []error
	if c.SecretFile != "" && c.ClientID == "" {
		faults = append(faults, errors.New("HUB_LOGIN_CLIENT_SECRET_FILE: needs HUB_LOGIN_CLIENT_ID"))
	}
	if !slices.Contains(c.Scopes, "openid") || slices.ContainsFunc(c.Scopes, func(s string) bool { return s == "" || strings.ContainsAny(s, " \t\"\\") }) {
		faults = append(faults, errors.New("HUB_LOGIN_SCOPES: must be scopes with commas between them, openid among them, without blanks, quotes and backslashes"))
	}
	return errors.Join(faults...)
}

// CheckTransport tells why codes cannot go to a provider: it must be https, or on this machine.
func CheckTransport(issuer string) error {
	if u, err := url.Parse(issuer); err != nil || u.Scheme != "https" && !origin.Loopback(u.Hostname()) {
		return fmt.Errorf("must be https where people log in, or http on loopback, not %q", issuer)
	}
	return nil
}
