package session

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"

	"example.com/hub/pkg/field"
)

const (
	// MaxClaims is the most roles of a login; a provider's token has room for fewer.
	MaxClaims = 10_000
	// maxClaim is the longest name of one in characters.
	maxClaim = 128
)

// BeginRequest is what a login says.
type BeginRequest struct {
	Hash     string
	Username string
	Claims   []string
}

func (r BeginRequest) params(now time.Time) (BeginParams, error) {
	var c field.Checks
	checkHash(&c, r.Hash)
	c.Username("username", r.Username, field.Required)
	c.Entries("claims", len(r.Claims), MaxClaims)
	for i, name := range r.Claims {
		c.Text("claims["+strconv.Itoa(i)+"]", name, maxClaim, field.Optional)
	}
	return BeginParams{Hash: r.Hash, Username: r.Username, Claims: r.Claims, Now: now}, c.Err()
}

// RenewRequest is a question about a session.
type RenewRequest struct {
	Hash string
	// Idle and Lifetime are how long a session lives after its last renewal, and after its beginning.
	Idle, Lifetime time.Duration
	// Passive notes nothing: nobody was there.
	Passive bool
}

func (r RenewRequest) check() error {
	var c field.Checks
	checkHash(&c, r.Hash)
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"idle", r.Idle}, {"lifetime", r.Lifetime}} {
		if d.value <= 0 {
			c.Fail(d.name, "must be more than 0")
		}
	}
	return c.Err()
}

// EndRequest names a session.
type EndRequest struct {
	Hash string
}

func (r EndRequest) params(now time.Time) (EndParams, error) {
	var c field.Checks
	checkHash(&c, r.Hash)
	return EndParams{Hash: r.Hash, Now: now}, c.Err()
}

// checkHash lets no id of a session be stored in the place of its hash.
func checkHash(c *field.Checks, value string) {
	if raw, err := base64.RawURLEncoding.Strict().DecodeString(value); err != nil || len(raw) != sha256.Size {
		c.Fail("hash", "must be a SHA-256 in base64url without padding")
	}
}
