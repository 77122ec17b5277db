package auth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
)

func TestVerifyTellsTheCaller(t *testing.T) {
	got, err := auth.NewVerifier(config()).Verify(t.Context(), token(nil, object{
		"scope": "client profile", "scp": []any{"x", "two words", "", 7},
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := auth.Caller{
		ClientID: "erp", Scopes: []string{"client", "profile", "x"}, TokenID: "j1", Expires: now.Add(time.Hour),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVerifyAccepts(t *testing.T) {
	cases := map[string]string{
		"expired within the leeway":   token(nil, object{"exp": now.Add(-59 * time.Second).Unix()}),
		"nbf within the leeway":       token(nil, object{"nbf": now.Add(time.Minute).Unix()}),
		"iat within the leeway":       token(nil, object{"iat": now.Add(time.Minute).Unix()}),
		"no iat":                      token(nil, object{"iat": nil}),
		"exp with a fraction":         token(nil, object{"exp": float64(now.Unix()) + 0.5}),
		"audience among others":       token(nil, object{"aud": []string{"other", audience}}),
		"type in full and upper case": token(object{"typ": "application/AT+JWT"}, nil),
		"client of 128 characters":    token(nil, object{"client_id": strings.Repeat("ä", 128)}),
		"typ claim of Keycloak":       token(nil, object{"typ": "Bearer"}),
		"tokenType of Casdoor":        token(nil, object{"tokenType": "access-token"}),
		"token_use of Cognito":        token(nil, object{"token_use": "access"}),
		"kind that begins like ID":    token(nil, object{"typ": "identity"}),
		"jti that is no string":       token(nil, object{"jti": 1}),
	}
	v := auth.NewVerifier(config())
	for name, raw := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := v.Verify(t.Context(), raw); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestVerifyAcceptsEveryAsymmetricAlgorithm(t *testing.T) {
	p384 := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	p521 := must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config()
	cfg.Keys = auth.LocalKeys(func() []jose.JSONWebKey {
		return []jose.JSONWebKey{
			publicKey("rsa", ownKey()), publicKey("p256", curveKey()),
			publicKey("p384", p384), publicKey("p521", p521), publicKey("ed", ed),
		}
	})
	v := auth.NewVerifier(cfg)
	for alg, key := range map[jose.SignatureAlgorithm]struct {
		kid string
		key any
	}{
		jose.RS256: {"rsa", ownKey()}, jose.RS384: {"rsa", ownKey()}, jose.RS512: {"rsa", ownKey()},
		jose.PS256: {"rsa", ownKey()}, jose.PS384: {"rsa", ownKey()}, jose.PS512: {"rsa", ownKey()},
		jose.ES256: {"p256", curveKey()}, jose.ES384: {"p384", p384}, jose.ES512: {"p521", p521},
		jose.EdDSA: {"ed", ed},
	} {
		t.Run(string(alg), func(t *testing.T) {
			if _, err := v.Verify(t.Context(), joseToken(t, alg, key.kid, key.key)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOutsideProviderNeedsNoTypeAndNoAudience(t *testing.T) {
	cfg := config()
	cfg.RequireType, cfg.Audience = "", ""
	v := auth.NewVerifier(cfg)
	for name, tc := range map[string]struct {
		header, claims object
		client         string // empty: refused
	}{
		"no typ":            {object{"typ": nil}, nil, "erp"},
		"typ JWT":           {object{"typ": "JWT"}, nil, "erp"},
		"typ at+jwt":        {nil, nil, "erp"},
		"typ null":          {object{"typ": null}, nil, ""},
		"typ logout+jwt":    {object{"typ": "logout+jwt"}, nil, ""},
		"typ dpop+jwt":      {object{"typ": "dpop+jwt"}, nil, ""},
		"other audience":    {nil, object{"aud": "account"}, "erp"},
		"no audience":       {nil, object{"aud": nil}, "erp"},
		"azp":               {nil, object{"client_id": nil, "azp": "portal"}, "portal"},
		"client_id and azp": {nil, object{"azp": "portal"}, "erp"},
		"sub only":          {nil, object{"client_id": nil}, ""},
		"ID token":          {object{"typ": "JWT"}, object{"nonce": "n", "scope": "client"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := v.Verify(t.Context(), token(tc.header, tc.claims))
			if (err == nil) != (tc.client != "") || got.ClientID != tc.client {
				t.Errorf("client is %q, %v, want %q", got.ClientID, err, tc.client)
			}
		})
	}
}

func TestClaimsThatCountAreASetting(t *testing.T) {
	cfg := config()
	cfg.ClientIDClaims, cfg.ScopeClaims = []string{"appid"}, []string{"roles"}
	v := auth.NewVerifier(cfg)
	got, err := v.Verify(t.Context(), token(nil, object{"appid": "x", "roles": []string{"r"}}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(auth.Caller{ClientID: "x", Scopes: []string{"r"}, TokenID: "j1", Expires: now.Add(time.Hour)}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := v.Verify(t.Context(), token(nil, nil)); err == nil {
		t.Error("a token without appid is accepted")
	}
}

func TestVerifierWithoutAnIssuerAcceptsNothing(t *testing.T) {
	cfg := config()
	cfg.Issuer = ""
	v := auth.NewVerifier(cfg)
	for _, claims := range []object{nil, {"iss": nil}, {"iss": ""}} {
		if _, err := v.Verify(t.Context(), token(nil, claims)); err == nil {
			t.Errorf("iss %v is accepted", claims["iss"])
		}
	}
}

func TestTokenOfAnotherMakerIsAccepted(t *testing.T) {
	// oidctest signs on its own, so both sides are not wrong together.
	cfg := config()
	cfg.RequireType = ""
	raw := oidctest.SignIDToken(ownKey(), "k1", oidc.RS256, `{"iss":"`+issuer+`","aud":"hub","azp":"portal","scope":"client","exp":1900000000}`)
	got, err := auth.NewVerifier(cfg).Verify(t.Context(), raw)
	if err != nil || got.ClientID != "portal" {
		t.Errorf("client is %q, %v, want portal", got.ClientID, err)
	}
}

func TestKeysThatAreAwayAreUnavailable(t *testing.T) {
	cfg := config()
	cfg.Keys = auth.LocalKeys(func() []jose.JSONWebKey { return nil })
	_, err := auth.NewVerifier(cfg).Verify(t.Context(), token(nil, nil))
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("error is %v, want a fault of kind Unavailable", err)
	}
}

// countedKeys counts how often a signature is checked.
type countedKeys struct {
	auth.LocalKeys
	n int
}

func (k *countedKeys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	k.n++
	return k.LocalKeys.VerifySignature(ctx, jwt)
}

func TestVerifiedTokenIsRemembered(t *testing.T) {
	clock := now
	keys := &countedKeys{LocalKeys: ownKeys}
	cfg := config()
	cfg.Keys, cfg.Clock, cfg.CacheSize = keys, func() time.Time { return clock }, 2
	v := auth.NewVerifier(cfg)
	check := func(t *testing.T, raw string, at time.Duration, wantErr bool, wantChecks int) {
		t.Helper()
		clock, keys.n = now.Add(at), 0
		if _, err := v.Verify(t.Context(), raw); (err != nil) != wantErr {
			t.Errorf("after %v: error is %v, want one: %v", at, err, wantErr)
		}
		if keys.n != wantChecks {
			t.Errorf("after %v: %d signature checks, want %d", at, keys.n, wantChecks)
		}
	}
	t.Run("for 4 minutes", func(t *testing.T) {
		raw := token(nil, object{"jti": "a"})
		check(t, raw, 0, false, 1)
		check(t, raw, 4*time.Minute-time.Second, false, 0)
		check(t, raw, 4*time.Minute, false, 1)
		check(t, raw, 4*time.Minute+time.Second, false, 0)
	})
	t.Run("not beyond its exp", func(t *testing.T) {
		raw := token(nil, object{"exp": now.Add(time.Minute).Unix()})
		check(t, raw, 0, false, 1)
		check(t, raw, 2*time.Minute-time.Second, false, 0)
		check(t, raw, 2*time.Minute, true, 1)
	})
	t.Run("among so many", func(t *testing.T) {
		first := token(nil, object{"jti": "1"})
		check(t, first, 0, false, 1)
		check(t, token(nil, object{"jti": "2"}), 0, false, 1)
		check(t, token(nil, object{"jti": "3"}), 0, false, 1)
		check(t, first, 0, false, 1)
	})
}

func TestRemovedLocalKeyDiesWithTheCache(t *testing.T) {
	clock, keys := now, ownKeys()
	cfg := config()
	cfg.Keys = auth.LocalKeys(func() []jose.JSONWebKey { return keys })
	cfg.Clock = func() time.Time { return clock }
	v := auth.NewVerifier(cfg)
	raw := token(nil, nil)
	if _, err := v.Verify(t.Context(), raw); err != nil {
		t.Fatal(err)
	}
	keys = []jose.JSONWebKey{publicKey("k2", foreignKey())}
	clock = now.Add(5 * time.Minute)
	if _, err := v.Verify(t.Context(), raw); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("error is %v, want a fault of kind Unauthenticated", err)
	}
}

func TestBearer(t *testing.T) {
	for _, tc := range []struct {
		name   string
		values []string
		want   string
	}{
		{"good", []string{"Bearer a.b-c_d~e+f/g=="}, "a.b-c_d~e+f/g=="},
		{"any case", []string{"bEaReR x"}, "x"},
		{"more blanks", []string{"Bearer   x "}, "x"},
		{"none", nil, ""},
		{"empty", []string{""}, ""},
		{"two", []string{"Bearer x", "Bearer x"}, ""},
		{"basic", []string{"Basic x"}, ""},
		{"scheme only", []string{"Bearer"}, ""},
		{"no token", []string{"Bearer   "}, ""},
		{"no blank", []string{"Bearerx"}, ""},
		{"tab", []string{"Bearer\tx"}, ""},
		{"list", []string{"Bearer x, Bearer y"}, ""},
		{"two words", []string{"Bearer x y"}, ""},
		{"quotes", []string{`Bearer "x"`}, ""},
		{"not ASCII", []string{"Bearer ä"}, ""},
		{"line end", []string{"Bearer x\n"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := auth.Bearer(tc.values)
			if got != tc.want {
				t.Errorf("token is %q, want %q", got, tc.want)
			}
			if tc.want == "" && (!errors.Is(err, auth.ErrNoToken) || fault.KindOf(err) != fault.Unauthenticated) {
				t.Errorf("error is %v, want Unauthenticated with the cause ErrNoToken", err)
			}
			if tc.want != "" && err != nil {
				t.Error(err)
			}
		})
	}
}

// BenchmarkVerify checks a token that is known, and one that is not. The baseline is go-oidc's
// verification, which has no memory, and the reading of the client and its scopes.
func BenchmarkVerify(b *testing.B) {
	lasting := object{"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	raws := []string{token(nil, lasting), token(nil, lasting.with(object{"jti": "j2"}))}
	plain := oidc.NewVerifier(issuer, auth.LocalKeys(ownKeys), &oidc.Config{ClientID: audience})
	for _, tt := range []struct {
		name string
		// cache is the number of tokens that Hub remembers, of those that come in turn.
		cache int
		raws  []string
	}{{"known", 10, raws[:1]}, {"new", 1, raws}} {
		b.Run(tt.name+"/against=go-oidc/impl=baseline", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				found, err := plain.Verify(b.Context(), tt.raws[i%len(tt.raws)])
				if err != nil {
					b.Fatal(err)
				}
				var claims struct {
					Client string `json:"client_id"`
					Scope  string `json:"scope"`
				}
				if err := found.Claims(&claims); err != nil || len(strings.Fields(claims.Scope)) == 0 {
					b.Fatalf("claims %v, %v", claims, err)
				}
			}
		})
		b.Run(tt.name+"/against=go-oidc/impl=hub", func(b *testing.B) {
			cfg := config()
			cfg.CacheSize, cfg.Clock = tt.cache, nil
			v := auth.NewVerifier(cfg)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := v.Verify(b.Context(), tt.raws[i%len(tt.raws)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
