package auth

import (
	"context"
	"slices"
	"time"
)

// ScopeClient is the scope that every call of the contract needs (contract, Authentication 1).
const ScopeClient = "client"

// Caller is the client that a verified token speaks for.
type Caller struct {
	// ClientID is the source system and source app of whatever the client writes; 1 to 128
	// characters.
	ClientID string
	// Scopes are the token's scopes, each an exact name.
	Scopes []string
	// TokenID is the token's jti for logs, or empty.
	TokenID string
	// Expires is the token's exp.
	Expires time.Time
}

// HasScope tells whether the token carries exactly this scope.
func (c Caller) HasScope(scope string) bool { return slices.Contains(c.Scopes, scope) }

type callerKey struct{}

// WithCaller returns a context that carries the verified caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom gives the verified caller; ok is false on a call that needed no token.
func CallerFrom(ctx context.Context) (c Caller, ok bool) {
	c, ok = ctx.Value(callerKey{}).(Caller)
	return c, ok
}
