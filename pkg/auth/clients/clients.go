// Package clients makes and checks the clients that may get tokens, as they stand in the clients file.
package clients

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"example.com/hub/pkg/auth"
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

// New makes a client with a random secret of 256 bits, which is nowhere else. The error tells why the id
// or a scope cannot be.
func New(id string, scopes []string) (c Client, secret string, err error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails (package crypto/rand)
	secret = base64.RawURLEncoding.EncodeToString(random)
	c = Client{ID: id, SecretSHA256: []string{Sum(secret)}, Scopes: scopes}
	_, err = c.Check()
	return c, secret, err
}

// Sum is what the clients file has of a secret. Sums of random secrets need no slow hash, because nobody
// can try them out.
func Sum(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Check gives the sums of the client's secrets. The error tells the first fault of the client.
func (c Client) Check() ([][sha256.Size]byte, error) {
	if !auth.ValidClientID(c.ID) {
		return nil, fmt.Errorf("id must have 1 to 128 characters without control characters, not %q", c.ID)
	}
	if len(c.SecretSHA256) == 0 {
		return nil, errors.New("secret_sha256 must not be empty")
	}
	if len(c.Scopes) == 0 || slices.ContainsFunc(c.Scopes, func(s string) bool { return !auth.ValidScope(s) }) {
		return nil, fmt.Errorf("scopes must be one or more names without blanks, quotes and backslashes, not %q", c.Scopes)
	}
	var sums [][sha256.Size]byte
	for _, text := range c.SecretSHA256 {
		sum, err := hex.DecodeString(text)
		if err != nil || len(sum) != sha256.Size {
			return nil, errors.New("secret_sha256 must be 64 hex digits, the SHA-256 sum of the secret")
		}
		sums = append(sums, [sha256.Size]byte(sum))
	}
	return sums, nil
}

// Create makes a client. Its secret goes to errs and its entry for the clients file to out, so that the
// entry can be piped.
func Create(out, errs io.Writer, id string, scopes []string) error {
	client, secret, err := New(id, scopes)
	if err != nil {
		return err
	}
	fmt.Fprintf(errs, "The secret of %s, which is shown only now:\n  %s\n"+
		"Its entry for the clients in HUB_CLIENTS_FILE, {\"clients\": [ENTRY, ENTRY]}:\n", id, secret)
	return json.NewEncoder(out).Encode(client)
}
