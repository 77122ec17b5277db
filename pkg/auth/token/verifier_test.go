package token_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/coreos/go-oidc/v3/oidc/oidctest"
	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
)

func TestVerifyTellsTheCaller(t *testing.T) {
	got, err := token.New(config()).Verify(t.Context(), signed(nil, object{
		"scope": "client profile", "scp": []any{"x", "two words", "", 7},
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := auth.Principal{
		Client: "erp", Scopes: []string{"client", "profile", "x"}, TokenID: "j1", Expires: now.Add(time.Hour),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVerifyAccepts(t *testing.T) {
	cases := map[string]string{
		"expired within the leeway":   signed(nil, object{"exp": now.Add(-59 * time.Second).Unix()}),
		"nbf within the leeway":       signed(nil, object{"nbf": now.Add(time.Minute).Unix()}),
		"iat within the leeway":       signed(nil, object{"iat": now.Add(time.Minute).Unix()}),
		"no iat":                      signed(nil, object{"iat": nil}),
		"exp with a fraction":         signed(nil, object{"exp": float64(now.Unix()) + 0.5}),
		"audience among others":       signed(nil, object{"aud": []string{"other", audience}}),
		"type in full and upper case": signed(object{"typ": "application/AT+JWT"}, nil),
		"client of 128 characters":    signed(nil, object{"client_id": strings.Repeat("ä", 128)}),
		"typ claim of Keycloak":       signed(nil, object{"typ": "Bearer"}),
		"tokenType of Casdoor":        signed(nil, object{"tokenType": "access-token"}),
		"token_use of Cognito":        signed(nil, object{"token_use": "access"}),
		"kind that begins like ID":    signed(nil, object{"typ": "identity"}),
		"jti that is no string":       signed(nil, object{"jti": 1}),
	}
	v := token.New(config())
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
	cfg.Keys = keys.Local(func() []jose.JSONWebKey {
		return []jose.JSONWebKey{
			publicKey("rsa", ownKey()), publicKey("p256", curveKey()),
			publicKey("p384", p384), publicKey("p521", p521), publicKey("ed", ed),
		}
	})
	v := token.New(cfg)
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
	v := token.New(cfg)
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
			got, err := v.Verify(t.Context(), signed(tc.header, tc.claims))
			if (err == nil) != (tc.client != "") || got.Client != tc.client {
				t.Errorf("client is %q, %v, want %q", got.Client, err, tc.client)
			}
		})
	}
}

func TestClaimsThatCountAreASetting(t *testing.T) {
	cfg := config()
	cfg.ClientIDClaims, cfg.ScopeClaims = []string{"appid"}, []string{"roles"}
	v := token.New(cfg)
	got, err := v.Verify(t.Context(), signed(nil, object{"appid": "x", "roles": []string{"r"}}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(auth.Principal{Client: "x", Scopes: []string{"r"}, TokenID: "j1", Expires: now.Add(time.Hour)}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := v.Verify(t.Context(), signed(nil, nil)); err == nil {
		t.Error("a token without appid is accepted")
	}
}

func TestClientMustNotHaveTheNameOfAUser(t *testing.T) {
	for _, users := range []bool{false, true} {
		cfg := config()
		cfg.Users = users
		for id, want := range map[string]bool{"user:amy": !users, "user:": !users, "User:amy": true, "users": true, "erp:user:": true} {
			p, err := token.New(cfg).Verify(t.Context(), signed(nil, object{"client_id": id}))
			if (err == nil) != want || want && p.Client != id {
				t.Errorf("users %v: %q is %+v, %v, want it to pass: %v", users, id, p, err, want)
			}
			if !want && fault.KindOf(err) != fault.Unauthenticated {
				t.Errorf("users %v: %q: %v", users, id, err)
			}
		}
	}
}

func TestVerifierWithoutAnIssuerAcceptsNothing(t *testing.T) {
	cfg := config()
	cfg.Issuer = ""
	v := token.New(cfg)
	for _, claims := range []object{nil, {"iss": nil}, {"iss": ""}} {
		if _, err := v.Verify(t.Context(), signed(nil, claims)); err == nil {
			t.Errorf("iss %v is accepted", claims["iss"])
		}
	}
}

func TestTokenOfAnotherMakerIsAccepted(t *testing.T) {
	// oidctest signs on its own, so both sides are not wrong together.
	cfg := config()
	cfg.RequireType = ""
	raw := oidctest.SignIDToken(ownKey(), "k1", oidc.RS256, `{"iss":"`+issuer+`","aud":"hub","azp":"portal","scope":"client","exp":1900000000}`)
	got, err := token.New(cfg).Verify(t.Context(), raw)
	if err != nil || got.Client != "portal" {
		t.Errorf("client is %q, %v, want portal", got.Client, err)
	}
}

func TestKeysThatAreAwayAreUnavailable(t *testing.T) {
	cfg := config()
	cfg.Keys = keys.Local(func() []jose.JSONWebKey { return nil })
	_, err := token.New(cfg).Verify(t.Context(), signed(nil, nil))
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("error is %v, want a fault of kind Unavailable", err)
	}
}

// countedKeys counts how often a signature is checked.
type countedKeys struct {
	keys.Local
	n int
}

func (k *countedKeys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	k.n++
	return k.Local.VerifySignature(ctx, jwt)
}

func TestVerifiedTokenIsRemembered(t *testing.T) {
	clock := now
	counted := &countedKeys{Local: ownKeys}
	cfg := config()
	cfg.Keys, cfg.Clock, cfg.CacheSize = counted, func() time.Time { return clock }, 2
	v := token.New(cfg)
	check := func(t *testing.T, raw string, at time.Duration, wantErr bool, wantChecks int) {
		t.Helper()
		clock, counted.n = now.Add(at), 0
		if _, err := v.Verify(t.Context(), raw); (err != nil) != wantErr {
			t.Errorf("after %v: error is %v, want one: %v", at, err, wantErr)
		}
		if counted.n != wantChecks {
			t.Errorf("after %v: %d signature checks, want %d", at, counted.n, wantChecks)
		}
	}
	t.Run("for 4 minutes", func(t *testing.T) {
		raw := signed(nil, object{"jti": "a"})
		check(t, raw, 0, false, 1)
		check(t, raw, 4*time.Minute-time.Second, false, 0)
		check(t, raw, 4*time.Minute, false, 1)
		check(t, raw, 4*time.Minute+time.Second, false, 0)
	})
	t.Run("not beyond its exp", func(t *testing.T) {
		raw := signed(nil, object{"exp": now.Add(time.Minute).Unix()})
		check(t, raw, 0, false, 1)
		check(t, raw, 2*time.Minute-time.Second, false, 0)
		check(t, raw, 2*time.Minute, true, 1)
	})
	t.Run("among so many", func(t *testing.T) {
		first := signed(nil, object{"jti": "1"})
		check(t, first, 0, false, 1)
		check(t, signed(nil, object{"jti": "2"}), 0, false, 1)
		check(t, signed(nil, object{"jti": "3"}), 0, false, 1)
		check(t, first, 0, false, 1)
	})
}

func TestRemovedLocalKeyDiesWithTheCache(t *testing.T) {
	clock, published := now, ownKeys()
	cfg := config()
	cfg.Keys = keys.Local(func() []jose.JSONWebKey { return published })
	cfg.Clock = func() time.Time { return clock }
	v := token.New(cfg)
	raw := signed(nil, nil)
	if _, err := v.Verify(t.Context(), raw); err != nil {
		t.Fatal(err)
	}
	published = []jose.JSONWebKey{publicKey("k2", foreignKey())}
	clock = now.Add(5 * time.Minute)
	if _, err := v.Verify(t.Context(), raw); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("error is %v, want a fault of kind Unauthenticated", err)
	}
}

// BenchmarkVerify checks a token that is known, and one that is not. The baseline is go-oidc's
// verification, which has no memory, and the reading of the client and its scopes.
func BenchmarkVerify(b *testing.B) {
	lasting := object{"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	raws := []string{signed(nil, lasting), signed(nil, lasting.With(object{"jti": "j2"}))}
	plain := oidc.NewVerifier(issuer, keys.Local(ownKeys), &oidc.Config{ClientID: audience})
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
			v := token.New(cfg)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := v.Verify(b.Context(), tt.raws[i%len(tt.raws)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
