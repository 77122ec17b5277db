package issuer

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/oauth"
)

// Client may get tokens.
type Client struct {
	// ID is the client_id, 1 to 128 characters.
	ID string `json:"id"`
	// SecretSHA256 are the hex SHA-256 sums of its secrets. More than one is for the time of a
	// change. In a file a single sum may stand without brackets.
	SecretSHA256 []string `json:"secret_sha256"`
	// Scopes are what it may ask for, and what it gets when it asks for nothing.
	Scopes []string `json:"scopes"`
}

// NewSecret makes a random secret of 256 bits and its sum for the clients file. Sums of random
// secrets need no slow hash, because nobody can try them out.
func NewSecret() (secret, sum string) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails (package crypto/rand)
	secret = base64.RawURLEncoding.EncodeToString(random)
	return secret, sumOf(secret)
}

// NewClient makes a client with a random secret. The error tells why the id or a scope cannot be.
func NewClient(id string, scopes []string) (c Client, secret string, err error) {
	secret, sum := NewSecret()
	c = Client{ID: id, SecretSHA256: []string{sum}, Scopes: scopes}
	_, err = checkClient(c)
	return c, secret, err
}

func sumOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// DemoClients are the clients for trying Hub out. Their secrets are public, so they must never be
// served to another machine.
func DemoClients() []Client {
	return []Client{
		{ID: "erp", SecretSHA256: []string{sumOf("erp-secret")}, Scopes: []string{auth.ScopeClient}},
		{ID: "portal", SecretSHA256: []string{sumOf("portal-secret")}, Scopes: []string{auth.ScopeClient}},
		{ID: "limited", SecretSHA256: []string{sumOf("limited-secret")}, Scopes: []string{"profile"}},
	}
}

// client is a Client that was checked, with its sums decoded.
type client struct {
	id     string
	sums   [][sha256.Size]byte
	scopes []string
}

type clients map[string]client

func checkClient(c Client) (client, error) {
	if !auth.ValidClientID(c.ID) {
		return client{}, fmt.Errorf("id must have 1 to 128 characters without control characters, not %q", c.ID)
	}
	if len(c.SecretSHA256) == 0 {
		return client{}, errors.New("secret_sha256 must not be empty")
	}
	if len(c.Scopes) == 0 || slices.ContainsFunc(c.Scopes, func(s string) bool { return !oauth.ValidScope(s) }) {
		return client{}, fmt.Errorf("scopes must be one or more names without blanks, quotes and backslashes, not %q", c.Scopes)
	}
	out := client{id: c.ID, scopes: slices.Clone(c.Scopes)}
	for _, text := range c.SecretSHA256 {
		sum, err := hex.DecodeString(text)
		if err != nil || len(sum) != sha256.Size {
			return client{}, errors.New("secret_sha256 must be 64 hex digits, the SHA-256 sum of the secret")
		}
		out.sums = append(out.sums, [sha256.Size]byte(sum))
	}
	return out, nil
}

// nobody stands in for an unknown client, so that its request takes as long as that of a known one.
var nobody = client{sums: make([][sha256.Size]byte, 1)}

// authenticate finds the client with this id and secret. Every sum is compared, in constant time.
func (cs clients) authenticate(id, secret string) (client, bool) {
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
