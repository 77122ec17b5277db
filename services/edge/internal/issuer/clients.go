package issuer

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/clients"
)

// DemoClients are the clients for trying Hub out. Their secrets are public, so they must never be
// served to another machine.
func DemoClients() []clients.Client {
	return []clients.Client{
		{ID: "erp", SecretSHA256: []string{clients.Sum("erp-secret")}, Scopes: []string{auth.ScopeClient}},
		{ID: "portal", SecretSHA256: []string{clients.Sum("portal-secret")}, Scopes: []string{auth.ScopeClient}},
		{ID: "hr", SecretSHA256: []string{clients.Sum("hr-secret")}, Scopes: []string{auth.ScopeDirectory}},
		{ID: "limited", SecretSHA256: []string{clients.Sum("limited-secret")}, Scopes: []string{"profile"}},
	}
}

// client is a Client that was checked, with its sums decoded.
type client struct {
	id     string
	sums   [][sha256.Size]byte
	scopes []string
}

type registry map[string]client

func checkClient(c clients.Client) (client, error) {
	sums, err := c.Check()
	if err != nil {
		return client{}, err
	}
	return client{id: c.ID, sums: sums, scopes: slices.Clone(c.Scopes)}, nil
}

// nobody stands in for an unknown client, so that its request takes as long as that of a known one.
var nobody = client{sums: make([][sha256.Size]byte, 1)}

// authenticate finds the client with this id and secret. Every sum is compared, in constant time.
func (cs registry) authenticate(id, secret string) (client, bool) {
	c, known := cs[id]
	if !known {
		c = nobody
	}
	presented := sha256.Sum256([]byte(secret))
	equal := 0
	for i := range c.sums {
		equal |= subtle.ConstantTimeCompare(c.sums[i][:], presented[:])
	}
	return c, known && equal == 1
}
