package token

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"

	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// UserClaims say where the tokens of a provider hold who a person is.
type UserClaims struct {
	Username string `env:"HUB_USERNAME_CLAIM" envDefault:"preferred_username" help:"claim of a user's tokens with the username"`
	Roles    string `env:"HUB_ROLES_CLAIM"    envDefault:"roles"              help:"claim of a user's tokens with the roles, an array or one name; dots descend into objects, as in realm_access.roles"`
}

// Identity is a person as a token of her provider tells of her.
type Identity struct {
	// Issuer and Subject are hers for ever: the subject is 1 to 255 characters.
	Issuer, Subject string
	// Username follows the rules of usernames. A provider may give it to somebody else one day.
	Username string
	// Name and Email are for people to read, at most 255 characters, or empty.
	Name, Email string
	// Roles are what the provider says that she is.
	Roles []string
	// Expires is the token's exp.
	Expires time.Time
}

const (
	maxSubject = 255 // OpenID Connect Core section 2
	maxShown   = 255 // characters of a name and an email
	maxRole    = 128 // characters; longer ones are left out
)

// identity reads who a token is about.
func (c claims) identity(names UserClaims) (Identity, error) {
	var out Identity
	out.Issuer, _ = c.text("iss")
	subject, ok := c.text("sub")
	if !ok || subject == "" || utf8.RuneCountInString(subject) > maxSubject || unreadable(subject) {
		return Identity{}, errors.New("sub is no subject")
	}
	out.Subject = subject
	if out.Username, ok = c.text(names.Username); !ok {
		return Identity{}, fmt.Errorf("no claim %s names the user", names.Username)
	}
	var checks field.Checks
	if checks.Username("username", out.Username, field.Required); checks.Err() != nil {
		return Identity{}, fmt.Errorf("claim %s: %w", names.Username, checks.Err())
	}
	out.Name, out.Email = c.shown("name"), c.shown("email")
	out.Roles = c.roles(names.Roles)
	return out, nil
}

func unreadable(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) })
}

// shown gives a member that people read, or "" when they could not.
func (c claims) shown(name string) string {
	s, _ := c.text(name)
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) > maxShown || unreadable(s) {
		return ""
	}
	return s
}

// roles gives the names at a path. A claim that has the whole path for its name comes first, since such
// names are often URLs.
func (c claims) roles(path string) []string {
	if _, whole := c[path]; !whole {
		if name, rest, dotted := strings.Cut(path, "."); dotted {
			var inner claims
			if json.Unmarshal(c[name], &inner) != nil {
				return nil
			}
			return inner.roles(rest)
		}
	}
	roles := slices.DeleteFunc(c.list(path), func(role string) bool {
		return role == "" || utf8.RuneCountInString(role) > maxRole || unreadable(role)
	})
	slices.Sort(roles)
	return slices.Compact(roles)
}

// IDTokens verifies the ID tokens that a provider gives to one client (OpenID Connect Core section 3.1.3.7).
type IDTokens struct {
	// Issuer is the exact value of the claim iss.
	Issuer string
	// ClientID must be in aud, and be azp where there is one.
	ClientID string
	Claims   UserClaims
	// Keys checks the signature: keys.Local or keys.Remote.
	Keys oidc.KeySet
	// Clock is the time for exp, nbf and iat; nil means time.Now.
	Clock func() time.Time
}

// Verify gives the person whom an ID token is about. The nonce is that of the request. An error is a fault of
// kind Unavailable while there are no keys to check with; any other one means that the token is not good, and
// is for the log.
func (v IDTokens) Verify(ctx context.Context, raw, nonce string) (Identity, error) {
	if len(raw) > maxTokenBytes {
		return Identity{}, fmt.Errorf("ID token of %d bytes", len(raw))
	}
	if err := checkForm(raw, ""); err != nil {
		return Identity{}, err
	}
	set := &observedKeys{KeySet: v.Keys}
	token, err := oidc.NewVerifier(v.Issuer, set, &oidc.Config{
		ClientID: v.ClientID, SupportedSigningAlgs: keys.Algorithms(),
		SkipExpiryCheck: true, // checkTimes does it, with a leeway
	}).Verify(ctx, raw)
	if err != nil {
		if set.err != nil && fault.KindOf(set.err) == fault.Unavailable {
			return Identity{}, set.err
		}
		return Identity{}, fmt.Errorf("verify: %w", err)
	}
	var c claims
	if err := token.Claims(&c); err != nil {
		return Identity{}, fmt.Errorf("decode claims: %w", err)
	}
	if err := v.check(c, nonce); err != nil {
		return Identity{}, err
	}
	now := time.Now
	if v.Clock != nil {
		now = v.Clock
	}
	exp, err := checkTimes(c, now())
	if err != nil {
		return Identity{}, err
	}
	who, err := c.identity(v.Claims)
	who.Expires = exp
	return who, err
}

// check repeats go-oidc's checks on iss and aud with exact names, and does what it leaves to its caller.
func (v IDTokens) check(c claims, nonce string) error {
	if iss, _ := c.text("iss"); iss == "" || iss != v.Issuer {
		return errors.New("iss is not exactly the issuer")
	}
	if !c.isFor(v.ClientID) {
		return errors.New("aud does not name the client exactly")
	}
	azp, _ := c.text("azp")
	if _, given := c["azp"]; (given || len(c.list("aud")) > 1) && azp != v.ClientID {
		return errors.New("azp is not the client")
	}
	if got, ok := c.text("nonce"); !ok || nonce == "" || subtle.ConstantTimeCompare([]byte(got), []byte(nonce)) != 1 {
		return errors.New("nonce is not that of the request")
	}
	if _, given := c["iat"]; !given {
		return errors.New("no iat")
	}
	return nil
}
