package edge

import (
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/token"
)

// Issuer answers the token endpoint, the keys and the discovery documents.
type Issuer = rest.Issuer

// IssuerDeps are what Hub's own issuer needs besides its settings.
type IssuerDeps = token.Deps

// OpenIssuer opens Hub's own issuer, for Deps.Issuer. Its keys are for the Verifier.
func OpenIssuer(c Config, d IssuerDeps) (*token.Issuer, error) { return token.Open(c.Token, d) }

// DemoClients are clients whose secrets everybody knows, for a desk: erp and portal with the scope
// client, limited without it.
func DemoClients() []token.Client { return token.DemoClients() }
