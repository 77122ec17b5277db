// Package keys checks signatures with the public keys of an issuer, in this process or elsewhere.
package keys

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/fault"
)

// algorithms are those whose signature only the issuer can make. Symmetric ones and none are not
// among them (RFC 8725 sections 2.1 and 3.1).
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512,
	jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512,
	jose.EdDSA,
}

// Algorithms gives the names of the algorithms that signatures are accepted by.
func Algorithms() []string {
	names := make([]string, len(algorithms))
	for i, a := range algorithms {
		names[i] = string(a)
	}
	return names
}

// minRSABits is the smallest RSA key that signatures are accepted from (RFC 7518 section 3.3).
const minRSABits = 2048

// errUnknownKey tells that no key has the token's kid.
var errUnknownKey = errors.New("no key has the token's kid")

// Local is the key set of an issuer in the same process. The function gives the current public
// keys and is called for every token that is not cached.
type Local func() []jose.JSONWebKey

// VerifySignature implements oidc.KeySet.
func (k Local) VerifySignature(_ context.Context, jwt string) ([]byte, error) {
	keys := k()
	if len(keys) == 0 {
		return nil, missing(nil)
	}
	return verifySignature(keys, jwt)
}

// verifySignature checks a token with the keys that have its kid. More than one may, for different
// algorithms.
func verifySignature(keys []jose.JSONWebKey, jwt string) ([]byte, error) {
	token, err := jose.ParseSignedCompact(jwt, algorithms)
	if err != nil {
		return nil, fmt.Errorf("parse token: %w", err)
	}
	header := token.Signatures[0].Protected
	err = errUnknownKey
	for _, key := range keys {
		if key.KeyID == "" || key.KeyID != header.KeyID {
			continue
		}
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			err = errors.New("the key is for another algorithm")
			continue
		}
		var payload []byte
		if payload, err = token.Verify(key.Key); err == nil {
			return payload, nil
		}
	}
	return nil, err
}

// usable tells whether tokens may be checked with a key that an issuer published.
func usable(key jose.JSONWebKey) bool {
	if key.KeyID == "" || !key.Valid() || key.Use != "" && key.Use != "sig" {
		return false
	}
	switch k := key.Key.(type) {
	case *rsa.PublicKey:
		return k.N.BitLen() >= minRSABits
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	default: // private and symmetric keys have no place in a published set
		return false
	}
}

func missing(cause error) error {
	return fault.Wrap(fault.Unavailable, "access tokens cannot be checked at the moment", cause)
}
