// Package authtest makes access tokens for tests, good ones and bad ones.
package authtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Issuer and Audience are those of the good token.
const (
	Issuer   = "https://issuer.test"
	Audience = "hub"
)

// Now is the time of the tests whose clock stands still.
var Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Keys are slow to make, so all tests share them.
var (
	OwnKey     = sync.OnceValue(func() *rsa.PrivateKey { return Must(rsa.GenerateKey(rand.Reader, 2048)) })
	ForeignKey = sync.OnceValue(func() *rsa.PrivateKey { return Must(rsa.GenerateKey(rand.Reader, 2048)) })
	CurveKey   = sync.OnceValue(func() *ecdsa.PrivateKey { return Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
)

// Must gives v, and panics on an error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Object is a JSON object; a nil member is left out.
type Object map[string]any

// With gives o with the members of other in place of its own; null members go.
func (o Object) With(other Object) Object {
	out := maps.Clone(o)
	maps.Copy(out, other)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out
}

// GoodHeader and GoodClaims are those of the good token.
var (
	GoodHeader = Object{"alg": "RS256", "kid": "k1", "typ": "at+jwt"}
	GoodClaims = Object{
		"iss": Issuer, "aud": Audience, "sub": "erp", "client_id": "erp", "scope": "client",
		"iat": Now.Unix(), "exp": Now.Add(time.Hour).Unix(), "jti": "j1",
	}
)

// Encode gives bytes, or the JSON of a value, in the form of a token's part.
func Encode(v any) string {
	if b, ok := v.([]byte); ok {
		return base64.RawURLEncoding.EncodeToString(b)
	}
	return base64.RawURLEncoding.EncodeToString(Must(json.Marshal(v)))
}

// SignRS256 makes a token by hand, so that it can be as wrong as a test wants. header and claims are
// objects or raw bytes.
func SignRS256(key *rsa.PrivateKey, header, claims any) string {
	input := Encode(header) + "." + Encode(claims)
	sum := sha256.Sum256([]byte(input))
	return input + "." + Encode(Must(rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])))
}

// SignHS256 is SignRS256 with a symmetric key.
func SignHS256(secret []byte, header, claims any) string {
	input := Encode(header) + "." + Encode(claims)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(input))
	return input + "." + Encode(mac.Sum(nil))
}

// Token is a good token with changes.
func Token(header, claims Object) string {
	return SignRS256(OwnKey(), GoodHeader.With(header), GoodClaims.With(claims))
}

// JOSEToken signs with any algorithm that is no case for SignRS256.
func JOSEToken(t testing.TB, alg jose.SignatureAlgorithm, kid string, key any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key},
		(&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", kid))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(Must(json.Marshal(GoodClaims)))
	if err != nil {
		t.Fatal(err)
	}
	return Must(signed.CompactSerialize())
}

// PublicKey is a key as an issuer publishes it.
func PublicKey(kid string, key crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{Key: key.Public(), KeyID: kid, Use: "sig"}
}

// OwnKeys is the key set of the issuer.
func OwnKeys() []jose.JSONWebKey { return []jose.JSONWebKey{PublicKey("k1", OwnKey())} }
