// Package auth verifies client tokens, at the edge and again in each hub.
package auth

import "context"

// Verifier checks a raw bearer token.
type Verifier interface {
	// Verify answers whom the token speaks for. Every failure is a fault of kind Unauthenticated,
	// except Unavailable while no signing keys have been had from the issuer yet. The scope is the
	// caller's to check.
	Verify(ctx context.Context, rawToken string) (Caller, error)
}

// Policy names, for each full gRPC method, the scope that its caller needs. A method that is missing
// is denied to everyone.
type Policy map[string]string
