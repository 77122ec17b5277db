package edge

import (
	"example.com/hub/pkg/auth/clients"
	"example.com/hub/services/edge/internal/forwarder"
	"example.com/hub/services/edge/internal/issuer"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/signing"
)

// Tokens answers the token endpoint.
type Tokens = rest.Tokens

// Issuer answers the token endpoint, the keys and the discovery documents.
type Issuer interface {
	rest.Tokens
	rest.Documents
}

// IssuerDeps are what Hub's own issuer needs besides its settings.
type IssuerDeps = issuer.Deps

// OpenIssuer opens Hub's own issuer, for Deps.Issuer. Its keys are for the Verifier. It limits failures
// by the address that HUB_TRUSTED_PROXIES give a caller.
func OpenIssuer(c Config, d IssuerDeps) (*issuer.Issuer, error) {
	proxies, err := c.proxies()
	if err != nil {
		return nil, err
	}
	d.RemoteAddr = proxies.Caller
	return issuer.Open(c.Issuer, d)
}

// DemoClients are clients whose secrets everybody knows, for a desk: erp and portal with the scope
// client, limited without it.
func DemoClients() []clients.Client { return issuer.DemoClients() }

// NewSigningKey makes a key in PEM for HUB_SIGNING_KEYS_FILE.
func NewSigningKey() ([]byte, error) { return signing.NewKey() }

// ForwarderDeps are what a forwarder needs besides its settings.
type ForwarderDeps = forwarder.Deps

// NewForwarder makes what answers the token path for an outside identity provider, for
// Deps.Forwarder. It does not wait for the provider, and must be closed after the edge.
func NewForwarder(c Config, d ForwarderDeps) (*forwarder.Forwarder, error) {
	return forwarder.New(c.Forwarder, d)
}
