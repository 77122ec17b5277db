// Package auth says who makes a call, a Principal, and who may make it, a Rule. What the principal is known
// by is checked in the packages below: token for access tokens, with keys and discovery for their signatures,
// and internalkey for calls between Hub's own services.
package auth

import (
	"context"
	"errors"
	"strings"

	"example.com/hub/pkg/fault"
)

// ErrNoToken is the cause of a call that carries no usable bearer token at all. Such a call is
// answered with a bare challenge; a token that is there and not valid gets invalid_token
// (RFC 6750 section 3.1).
var ErrNoToken = errors.New("no bearer token")

// Verifier checks a raw bearer token.
type Verifier interface {
	// Verify answers whom the token speaks for. Every failure is a fault of kind Unauthenticated,
	// except Unavailable while no signing keys have been had from the issuer yet. What the principal may
	// do is for a Rule to say.
	Verify(ctx context.Context, rawToken string) (Principal, error)
}

// Bearer gives the token of the values of an Authorization header or of the metadata key
// authorization: exactly one value with the scheme Bearer, in any case, and a token without blanks
// (RFC 6750 section 2.1). Every failure is a fault of kind Unauthenticated with the cause ErrNoToken.
func Bearer(values []string) (string, error) {
	if len(values) == 0 {
		return "", noToken("an access token is needed")
	}
	if len(values) > 1 {
		return "", noToken("authorization must be given once")
	}
	const scheme = "Bearer "
	v := values[0]
	if len(v) < len(scheme) || !strings.EqualFold(v[:len(scheme)], scheme) {
		return "", noToken("authorization must have the scheme Bearer")
	}
	token := strings.Trim(v[len(scheme):], " ")
	if token == "" {
		return "", noToken("an access token is needed")
	}
	if !isToken(token) {
		return "", noToken("authorization must carry one access token")
	}
	return token, nil
}

func noToken(public string) error {
	return fault.Wrap(fault.Unauthenticated, public, ErrNoToken)
}

// tokenCharacters are those of b64token (RFC 6750 section 2.1). Tokens are long and are looked at with
// every call, hence a table.
var tokenCharacters = func() (set [256]bool) {
	const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="
	for _, c := range []byte(all) {
		set[c] = true
	}
	return set
}()

func isToken(text string) bool {
	for i := range len(text) {
		if !tokenCharacters[text[i]] {
			return false
		}
	}
	return true
}
