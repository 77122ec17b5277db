package edge

import (
	"errors"
	"fmt"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/discovery"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/field"
	"example.com/hub/services/edge/internal/login"
	"example.com/hub/services/edge/internal/permission"
)

// UserConfig are the settings of users and of their provider.
type UserConfig struct {
	IssuerURL string `env:"HUB_USER_ISSUER_URL" first:"true" help:"issuer of the provider of users, exactly as iss of its tokens names it; empty: none, but for the demo users"`
	Audience  string `env:"HUB_USER_AUDIENCE" help:"aud that access tokens of users must have; needed with HUB_USER_ISSUER_URL"`
	Scope     string `env:"HUB_USER_SCOPE" envDefault:"hub:user" help:"scope that access tokens of users must have; - is none"`

	field.UserIDConfig
	token.UserClaims
	Login       login.Config
	Permissions permission.Config
}

// noScope is the value of HUB_USER_SCOPE for tokens without a scope of users; an empty setting is not set.
const noScope = "-"

// Validate tells all faults of the settings, one in a line.
func (c UserConfig) Validate() error {
	var faults []error
	check := func(ok bool, text string) {
		if !ok {
			faults = append(faults, errors.New(text))
		}
	}
	if c.IssuerURL != "" {
		err := discovery.CheckIssuerURL(c.IssuerURL)
		if err == nil && c.Login.ClientID != "" {
			err = login.CheckTransport(c.IssuerURL)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("HUB_USER_ISSUER_URL: %w", err))
		}
	}
	check(c.Login.ClientID == "" || c.IssuerURL != "", "HUB_LOGIN_CLIENT_ID: needs HUB_USER_ISSUER_URL")
	check((c.IssuerURL == "") == (c.Audience == ""), "HUB_USER_AUDIENCE: must be set together with HUB_USER_ISSUER_URL")
	check(c.Scope != noScope || c.Audience == "" || c.Audience != c.Login.ClientID,
		"HUB_USER_SCOPE: must name a scope where HUB_USER_AUDIENCE is HUB_LOGIN_CLIENT_ID, since that is the aud of ID tokens")
	return errors.Join(append(faults, c.UserIDConfig.Validate())...)
}

// checkShared tells why an issuer cannot serve both clients and users.
func (c UserConfig) checkShared(clientAudience string) error {
	switch {
	case c.Scope == noScope || c.Scope == auth.ScopeClient:
		return errors.New("HUB_USER_SCOPE: must name a scope other than client where users and clients have one issuer")
	case clientAudience == "" || clientAudience == c.Audience:
		return errors.New("HUB_USER_AUDIENCE: must differ from HUB_AUDIENCE, which must be set, where users and clients have one issuer")
	}
	return nil
}

// tokens says which access tokens count, but for the keys.
func (c UserConfig) tokens() token.UserConfig {
	scope := c.Scope
	if scope == noScope {
		scope = ""
	}
	permissions := c.Permissions.Map()
	return token.UserConfig{
		Issuer: c.IssuerURL, Audience: c.Audience, Scope: scope, Claims: c.UserClaims,
		Permissions: func(roles []string) []string { return permissions.Of(roles, nil) },
	}
}
