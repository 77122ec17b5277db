package auth

import "slices"

// ScopeClient is the scope that every call of the contract needs (contract, Authentication 1).
const ScopeClient = "client"

// ScopeDirectory is the scope of clients that feed the directory. It needs no other beside it.
const ScopeDirectory = "directory"

// Rule says who may make a call. What it names is admitted, each on its own; the zero Rule admits nobody.
type Rule struct {
	// Anyone needs no token.
	Anyone bool
	// Scope admits clients whose token has it.
	Scope string
	// User admits every user.
	User bool
	// Permission admits users who have it.
	Permission string
	// Internal admits Hub's own services.
	Internal bool
}

// Admits tells whether p may make the call.
func (r Rule) Admits(p Principal) bool {
	switch {
	case r.Anyone:
		return true
	case p.Internal:
		return r.Internal
	case p.User != "":
		return r.User || r.Permission != "" && slices.Contains(p.Permissions, r.Permission)
	default:
		return p.Client != "" && r.Scope != "" && p.HasScope(r.Scope)
	}
}

// Policy is the rule of each full gRPC method. A method that is missing is denied to everyone.
type Policy map[string]Rule
