package auth_test

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

	"example.com/hub/pkg/auth"
)

const (
	issuer   = "https://issuer.test"
	audience = "hub"
)

// now is the time of the tests whose clock stands still.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Keys are slow to make, so all tests share them.
var (
	ownKey     = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	foreignKey = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	curveKey   = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// object is a JSON object; a nil member is left out.
type object map[string]any

func (o object) with(other object) object {
	out := maps.Clone(o)
	maps.Copy(out, other)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out
}

// null stands for the JSON null, since nil leaves a member out.
var null = json.RawMessage("null")

var (
	goodHeader = object{"alg": "RS256", "kid": "k1", "typ": "at+jwt"}
	goodClaims = object{
		"iss": issuer, "aud": audience, "sub": "erp", "client_id": "erp", "scope": "client",
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "jti": "j1",
	}
)

func encode(v any) string {
	if b, ok := v.([]byte); ok {
		return base64.RawURLEncoding.EncodeToString(b)
	}
	return base64.RawURLEncoding.EncodeToString(must(json.Marshal(v)))
}

// signRS256 makes a token by hand, so that it can be as wrong as a test wants. header and claims are
// objects or raw bytes.
func signRS256(key *rsa.PrivateKey, header, claims any) string {
	input := encode(header) + "." + encode(claims)
	sum := sha256.Sum256([]byte(input))
	return input + "." + encode(must(rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])))
}

func signHS256(secret []byte, header, claims any) string {
	input := encode(header) + "." + encode(claims)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(input))
	return input + "." + encode(mac.Sum(nil))
}

// token is a good token with changes.
func token(header, claims object) string {
	return signRS256(ownKey(), goodHeader.with(header), goodClaims.with(claims))
}

// joseToken signs with any algorithm that is no case for signRS256.
func joseToken(t testing.TB, alg jose.SignatureAlgorithm, kid string, key any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key},
		(&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", kid))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(must(json.Marshal(goodClaims)))
	if err != nil {
		t.Fatal(err)
	}
	return must(signed.CompactSerialize())
}

func publicKey(kid string, key crypto.Signer) jose.JSONWebKey {
	return jose.JSONWebKey{Key: key.Public(), KeyID: kid, Use: "sig"}
}

func ownKeys() []jose.JSONWebKey { return []jose.JSONWebKey{publicKey("k1", ownKey())} }

// config is that of the own issuer at the time now.
func config() auth.Config {
	return auth.Config{
		Issuer: issuer, Audience: audience, RequireType: auth.TypeAccessToken,
		Keys:  auth.LocalKeys(ownKeys),
		Clock: func() time.Time { return now },
	}
}
