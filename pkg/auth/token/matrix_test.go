package token_test

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
)

// symmetric is a key that has no place in a set, and is there all the same.
var symmetric = bytes.Repeat([]byte("k"), 32)

// withSpareBits changes the bits of the last character that a decoder drops.
func withSpareBits(part string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	end := len(part) - 1
	return part[:end] + string(alphabet[strings.IndexByte(alphabet, part[end])+1])
}

// badTokens are tokens that must never be accepted, by what is wrong with them.
func badTokens(t *testing.T) map[string]string {
	t.Helper()
	good := signed(nil, nil)
	parts := strings.Split(good, ".")
	public := must(x509.MarshalPKIXPublicKey(ownKey().Public()))
	unix := func(d time.Duration) int64 { return now.Add(d).Unix() }
	none := object{"alg": "none", "kid": "k1", "typ": "at+jwt"}
	hs := object{"alg": "HS256", "kid": "k1", "typ": "at+jwt"}

	bad := map[string]string{
		"nothing":                   "",
		"word":                      "token",
		"two parts":                 parts[0] + "." + parts[1],
		"four parts":                good + "." + parts[2],
		"no header":                 "." + parts[1] + "." + parts[2],
		"no claims":                 parts[0] + ".." + parts[2],
		"no signature":              parts[0] + "." + parts[1] + ".",
		"signature of other":        parts[0] + "." + parts[1] + "." + strings.Split(signed(nil, object{"jti": "j2"}), ".")[2],
		"claims changed":            parts[0] + "." + encode(goodClaims.With(object{"client_id": "hr"})) + "." + parts[2],
		"header changed":            encode(goodHeader.With(object{"x": 1})) + "." + parts[1] + "." + parts[2],
		"spare bits of the end":     parts[0] + "." + parts[1] + "." + withSpareBits(parts[2]),
		"padded":                    parts[0] + "=." + parts[1] + "." + parts[2],
		"blank inside":              parts[0] + ". " + parts[1] + "." + parts[2],
		"line end inside":           parts[0] + ".\n" + parts[1] + "." + parts[2],
		"blank before":              " " + good,
		"huge":                      signed(nil, object{"x": strings.Repeat("x", 20_000)}),
		"header is no object":       signRS256(ownKey(), []byte(`[]`), goodClaims),
		"claims are no object":      signRS256(ownKey(), goodHeader, []byte(`"x"`)),
		"claims are null":           signRS256(ownKey(), goodHeader, []byte(`null`)),
		"claims are not JSON":       signRS256(ownKey(), goodHeader, []byte(`{`)),
		"claims are not UTF-8":      signRS256(ownKey(), goodHeader, bytes.Replace(must(json.Marshal(goodClaims)), []byte("j1"), []byte("j\xff"), 1)),
		"none":                      encode(none) + "." + parts[1] + ".",
		"none with a signature":     encode(none) + "." + parts[1] + "." + parts[2],
		"None":                      encode(none.With(object{"alg": "None"})) + "." + parts[1] + ".",
		"no alg":                    signed(object{"alg": nil}, nil),
		"unknown alg":               signed(object{"alg": "RS1"}, nil),
		"other RSA alg":             signed(object{"alg": "RS512"}, nil),
		"alg of another key type":   signed(object{"alg": "ES256"}, nil),
		"HS256 with DER":            signHS256(public, hs, goodClaims),
		"HS256 with PEM":            signHS256(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), hs, goodClaims),
		"HS256 with modulus":        signHS256(ownKey().N.Bytes(), hs, goodClaims),
		"HS256 of a key in the set": signHS256(symmetric, hs.With(object{"kid": "oct"}), goodClaims),
		"HS256 with nothing":        signHS256(nil, hs, goodClaims),
		"foreign key, same kid":     signRS256(foreignKey(), goodHeader, goodClaims),
		"unknown kid":               signed(object{"kid": "k2"}, nil),
		"kid in other case":         signed(object{"kid": "K1"}, nil),
		"no kid":                    signed(object{"kid": nil}, nil),
		"empty kid":                 signed(object{"kid": ""}, nil),
		"kid is a number":           signed(object{"kid": 1}, nil),
		"embedded foreign key":      signRS256(foreignKey(), goodHeader.With(object{"jwk": publicKey("k1", foreignKey())}), goodClaims),
		"crit":                      signed(object{"crit": []string{"exp"}, "exp": 1}, nil),
		"crit b64":                  signed(object{"crit": []string{"b64"}, "b64": true}, nil),
		"empty crit":                signed(object{"crit": []string{}}, nil),
		"no typ":                    signed(object{"typ": nil}, nil),
		"typ JWT":                   signed(object{"typ": "JWT"}, nil),
		"typ logout+jwt":            signed(object{"typ": "logout+jwt"}, nil),
		"typ is a number":           signed(object{"typ": 1}, nil),
		"no iss":                    signed(nil, object{"iss": nil}),
		"empty iss":                 signed(nil, object{"iss": ""}),
		"other iss":                 signed(nil, object{"iss": "https://other.test"}),
		"iss with a slash":          signed(nil, object{"iss": issuer + "/"}),
		"iss is an array":           signed(nil, object{"iss": []string{issuer}}),
		"ISS":                       signed(nil, object{"iss": nil, "ISS": issuer}),
		"iss and ISS":               signRS256(ownKey(), goodHeader, []byte(`{"iss":"https://other.test","ISS":"`+issuer+`","aud":"hub","client_id":"erp","scope":"client","exp":`+fmt.Sprint(unix(time.Hour))+`}`)),
		"no aud":                    signed(nil, object{"aud": nil}),
		"other aud":                 signed(nil, object{"aud": "other"}),
		"aud with more":             signed(nil, object{"aud": "hub2"}),
		"aud in a word":             signed(nil, object{"aud": "other hub"}),
		"other auds":                signed(nil, object{"aud": []string{"a", "b"}}),
		"AUD":                       signed(nil, object{"aud": nil, "AUD": audience}),
		"no exp":                    signed(nil, object{"exp": nil}),
		"null exp":                  signed(nil, object{"exp": null}),
		"exp is a string":           signed(nil, object{"exp": fmt.Sprint(unix(time.Hour))}),
		"exp is true":               signed(nil, object{"exp": true}),
		"exp is 0":                  signed(nil, object{"exp": 0}),
		"exp is negative":           signed(nil, object{"exp": -1}),
		"exp is endless":            signed(nil, object{"exp": json.RawMessage("1e300")}),
		"expired":                   signed(nil, object{"exp": unix(-time.Hour)}),
		"expired by the leeway":     signed(nil, object{"exp": unix(-time.Minute)}),
		"not yet":                   signed(nil, object{"nbf": unix(61 * time.Second)}),
		"nbf is a string":           signed(nil, object{"nbf": "0"}),
		"nbf is endless":            signed(nil, object{"nbf": json.RawMessage("1e300")}),
		"issued in the future":      signed(nil, object{"iat": unix(61 * time.Second)}),
		"iat is a string":           signed(nil, object{"iat": "0"}),
		"iat is null":               signed(nil, object{"iat": null}),
		"no client":                 signed(nil, object{"client_id": nil}),
		"empty client":              signed(nil, object{"client_id": ""}),
		"empty client, with azp":    signed(nil, object{"client_id": "", "azp": "erp"}),
		"blank client":              signed(nil, object{"client_id": "  "}),
		"client is a number":        signed(nil, object{"client_id": 7}),
		"client is null":            signed(nil, object{"client_id": null}),
		"client is an array":        signed(nil, object{"client_id": []string{"erp"}}),
		"client too long":           signed(nil, object{"client_id": strings.Repeat("ä", 129)}),
		"client with a line end":    signed(nil, object{"client_id": "erp\nadmin"}),
		"client with NUL":           signed(nil, object{"client_id": "erp\x00"}),
		"client with half a pair":   signed(nil, object{"client_id": json.RawMessage(`"erp\ud800"`)}),
		"CLIENT_ID":                 signed(nil, object{"client_id": nil, "CLIENT_ID": "erp"}),
		"ID token by at_hash":       signed(nil, object{"at_hash": "x"}),
		"ID token by c_hash":        signed(nil, object{"c_hash": "x"}),
		"ID token by nonce":         signed(nil, object{"nonce": "x"}),
		"ID token by typ":           signed(nil, object{"typ": "ID"}),
		"refresh token by typ":      signed(nil, object{"typ": "Refresh"}),
		"ID token by token_use":     signed(nil, object{"token_use": "id"}),
		"ID token by tokenType":     signed(nil, object{"tokenType": "id-token"}),
		"refresh by tokenType":      signed(nil, object{"tokenType": "refresh-token"}),
		"logout token by events":    signed(nil, object{"events": object{}}),
		"ES256 with kid of RSA":     joseToken(t, jose.ES256, "k1", curveKey()),
		"PS256 with a key for RS":   joseToken(t, jose.PS256, "rs", ownKey()),
	}

	signer := must(jose.NewMultiSigner([]jose.SigningKey{
		{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: ownKey(), KeyID: "k1"}},
		{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: foreignKey(), KeyID: "k1"}},
	}, nil))
	bad["two signatures"] = must(signer.Sign(must(json.Marshal(goodClaims)))).FullSerialize()
	bad["JSON form"] = fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, parts[0], parts[1], parts[2])
	encrypter := must(jose.NewEncrypter(jose.A128GCM,
		jose.Recipient{Algorithm: jose.RSA_OAEP, Key: ownKey().Public(), KeyID: "k1"}, nil))
	bad["JWE"] = must(must(encrypter.Encrypt(must(json.Marshal(goodClaims)))).CompactSerialize())
	bad["JWE of a good token"] = must(must(encrypter.Encrypt([]byte(good))).CompactSerialize())
	return bad
}

func TestBadTokenIsRefused(t *testing.T) {
	cfg := config()
	rs := publicKey("rs", ownKey())
	rs.Algorithm = "RS256"
	oct := jose.JSONWebKey{Key: symmetric, KeyID: "oct"}
	cfg.Keys = keys.Local(func() []jose.JSONWebKey { return append(ownKeys(), rs, oct) })
	v := token.New(cfg)
	// Every bad token is a good one but for its fault.
	if _, err := v.Verify(t.Context(), signed(nil, nil)); err != nil {
		t.Fatalf("the good token is refused: %v", err)
	}
	bad := badTokens(t)
	if len(bad) < 60 {
		t.Errorf("%d bad tokens, want at least 60", len(bad))
	}
	for name, raw := range bad {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time a cache could answer
				got, err := v.Verify(t.Context(), raw)
				if err == nil {
					t.Fatalf("accepted for %+v", got)
				}
				f := fault.As(err)
				if f.Kind != fault.Unauthenticated {
					t.Errorf("fault is of kind %v: %v", f.Kind, err)
				}
				if f.Public != "the access token is not valid" && f.Public != "the access token has expired" {
					t.Errorf("public text is %q", f.Public)
				}
				if diff := cmp.Diff(auth.Principal{}, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestScopeIsMatchedExactly(t *testing.T) {
	cases := map[string]struct {
		claims object
		want   bool
	}{
		"alone":             {object{"scope": "client"}, true},
		"among others":      {object{"scope": "profile client email"}, true},
		"blanks around":     {object{"scope": "  client  "}, true},
		"array":             {object{"scope": []string{"profile", "client"}}, true},
		"array with rest":   {object{"scope": []any{7, "client", nil}}, true},
		"scp":               {object{"scope": nil, "scp": "client"}, true},
		"scp array":         {object{"scope": nil, "scp": []string{"client"}}, true},
		"either of both":    {object{"scope": "profile", "scp": []string{"client"}}, true},
		"absent":            {object{"scope": nil}, false},
		"empty":             {object{"scope": ""}, false},
		"null":              {object{"scope": null}, false},
		"longer":            {object{"scope": "clientx"}, false},
		"shorter":           {object{"scope": "clien"}, false},
		"prefixed":          {object{"scope": "xclient"}, false},
		"upper case":        {object{"scope": "CLIENT"}, false},
		"comma":             {object{"scope": "profile,client"}, false},
		"tab":               {object{"scope": "profile\tclient"}, false},
		"line end":          {object{"scope": "client\n"}, false},
		"word in an array":  {object{"scope": []string{"client x"}}, false},
		"nested array":      {object{"scope": [][]string{{"client"}}}, false},
		"object":            {object{"scope": object{"client": true}}, false},
		"true":              {object{"scope": true}, false},
		"claim SCOPE":       {object{"scope": nil, "SCOPE": "client"}, false},
		"claim permissions": {object{"scope": nil, "permissions": []string{"client"}}, false},
	}
	v := token.New(config())
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := v.Verify(t.Context(), signed(nil, tc.claims))
			if err != nil {
				t.Fatal(err)
			}
			if got.HasScope(auth.ScopeClient) != tc.want {
				t.Errorf("scopes are %q, want client among them: %v", got.Scopes, tc.want)
			}
		})
	}
}
