package token

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
)

// UserConfig says which access tokens of users are accepted.
type UserConfig struct {
	// Issuer and Audience are the exact values of iss and of one of aud.
	Issuer, Audience string
	// Scope is one that a user's token must have; empty is none.
	Scope string
	// Claims say where a token holds who somebody is, and ScopeClaims where its scopes are; nil means scope,
	// scp.
	Claims      UserClaims
	ScopeClaims []string
	// Permissions gives what the roles of a token allow.
	Permissions func(roles []string) []string
	// Keys checks the signature: keys.Local or keys.Remote.
	Keys oidc.KeySet
	// Clock is the time for exp, nbf and iat; nil means time.Now.
	Clock func() time.Time
}

// NewUsers makes a verifier of users' access tokens, from an issuer that clients do not have. A token without
// the scope is a fault of kind Forbidden; what other scopes it has means nothing.
func NewUsers(cfg UserConfig) *Verifier {
	v := New(Config{Issuer: cfg.Issuer, Audience: cfg.Audience, ScopeClaims: cfg.ScopeClaims, Keys: cfg.Keys, Clock: cfg.Clock})
	v.read = func(c claims) (auth.Principal, error) {
		if cfg.Scope != "" && !slices.Contains(v.scopes(c), cfg.Scope) {
			return auth.Principal{}, fault.New(fault.Forbidden, "the token lacks the scope "+cfg.Scope)
		}
		return cfg.principal(c)
	}
	return v
}

// NewShared makes a verifier of the access tokens of clients and users that one issuer makes. A token is a
// client's by the scope client or directory, and a user's by the user scope; one with both, or without either,
// is neither.
// Each kind has an audience of its own. Everything else is as the verifier of the clients has it.
func NewShared(clients *Verifier, users UserConfig) *Verifier {
	cfg := clients.cfg
	audience := cfg.Audience
	cfg.Audience = "" // which one it must be is known by the scope
	v := New(cfg)
	v.read = func(c claims) (auth.Principal, error) {
		scopes := v.scopes(c)
		client := slices.Contains(scopes, auth.ScopeClient) || slices.Contains(scopes, auth.ScopeDirectory)
		user := slices.Contains(scopes, users.Scope)
		switch {
		case client == user:
			return auth.Principal{}, errors.New("the scopes are not those of either a client or a user")
		case client && !c.isFor(audience), user && !c.isFor(users.Audience):
			return auth.Principal{}, errors.New("aud does not name the audience exactly")
		case client:
			return v.client(c)
		}
		return users.principal(c)
	}
	return v
}

// principal reads the user.
func (u UserConfig) principal(c claims) (auth.Principal, error) {
	who, err := c.identity(u.Claims)
	if err != nil {
		return auth.Principal{}, err
	}
	return auth.Principal{User: who.Username, Permissions: u.Permissions(who.Roles), TokenID: c.tokenID()}, nil
}

// Kinds verifies the tokens of clients and those of users, which have issuers of their own. Which kind a token
// is of says its iss; the verifier of that kind proves it.
type Kinds struct {
	Clients, Users *Verifier
}

// Verify implements auth.Verifier.
func (k Kinds) Verify(ctx context.Context, raw string) (auth.Principal, error) {
	// Most calls are those of clients, whose token is known.
	if p, ok := k.Clients.remembered(raw, k.Clients.cfg.Clock()); ok {
		return p, nil
	}
	if issuerOf(raw) == k.Users.cfg.Issuer {
		return k.Users.Verify(ctx, raw)
	}
	return k.Clients.Verify(ctx, raw)
}

// issuerOf gives the iss that a token claims, or "" when nobody can tell.
func issuerOf(raw string) string {
	parts := strings.Split(raw, ".")
	if len(raw) > maxTokenBytes || len(parts) != 3 {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var c claims
	if json.Unmarshal(payload, &c) != nil {
		return ""
	}
	iss, _ := c.text("iss")
	return iss
}
