package token_test

import (
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/authtest"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
)

const (
	userIssuer   = "https://people.test"
	userAudience = "hub-users"
)

// userConfig is that of a provider of users with the key of authtest.
func userConfig() token.UserConfig {
	return token.UserConfig{
		Issuer: userIssuer, Audience: userAudience, Scope: "hub:user",
		Claims:      token.UserClaims{Username: "preferred_username", Roles: "realm_access.roles"},
		Permissions: func(roles []string) []string { return roles },
		Keys:        keys.Local(ownKeys), Clock: func() time.Time { return now },
	}
}

// amy changes the good claims into those of a user.
var amy = object{
	"iss": userIssuer, "aud": userAudience, "scope": "openid hub:user", "client_id": nil, "azp": "portal",
	"preferred_username": "amy", "realm_access": object{"roles": []string{"todos", "apps", "todos"}},
}

// user is a token of amy with changes; nil leaves a claim out.
func user(change object) string {
	return signRS256(ownKey(), goodHeader, goodClaims.With(amy).With(change))
}

func wantKind(t *testing.T, v auth.Verifier, raw string, want fault.Kind) {
	t.Helper()
	p, err := v.Verify(t.Context(), raw)
	if err == nil || fault.KindOf(err) != want {
		t.Errorf("%+v, %v, want kind %d", p, err, want)
	}
}

func TestTokensOfUsers(t *testing.T) {
	want := auth.Principal{User: "amy", Permissions: []string{"apps", "todos"}, TokenID: "j1", Expires: now.Add(time.Hour)}
	v := token.NewUsers(userConfig())
	for name, change := range map[string]object{
		"as usual":              {},
		"the scope client":      {"scope": "client hub:user"},
		"scopes as scp":         {"scope": nil, "scp": []string{"hub:user"}},
		"several audiences":     {"aud": []string{"x", userAudience}},
		"a client id as well":   {"client_id": "erp"},
		"roles by a whole name": {"realm_access": nil, "realm_access.roles": []string{"apps", "todos"}},
	} {
		got, err := v.Verify(t.Context(), user(change))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	for name, change := range map[string]object{
		"no roles": {"realm_access": nil}, "roles of another shape": {"realm_access": []string{"apps"}},
		"roles that are objects": {"realm_access": object{"roles": object{"apps": true}}},
	} {
		if got, err := v.Verify(t.Context(), user(change)); err != nil || len(got.Permissions) > 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestTokensThatAreNoUsers(t *testing.T) {
	v := token.NewUsers(userConfig())
	for name, change := range map[string]object{
		"client's":                  {"iss": authtest.Issuer},
		"issuer with a slash":       {"iss": userIssuer + "/"},
		"no audience":               {"aud": nil},
		"the clients' audience":     {"aud": audience},
		"audience of another case":  {"aud": "Hub-users"},
		"expired":                   {"exp": now.Add(-2 * time.Minute).Unix()},
		"no exp":                    {"exp": nil},
		"not yet":                   {"nbf": now.Add(2 * time.Minute).Unix()},
		"ID token":                  {"nonce": "n"},
		"ID token by its hash":      {"at_hash": "x"},
		"ID token of Keycloak":      {"typ": "ID"},
		"refresh token of Keycloak": {"typ": "Refresh"},
		"refresh token of Casdoor":  {"tokenType": "refresh-token"},
		"logout token":              {"events": object{}},
		"no username":               {"preferred_username": nil},
		"null for a username":       {"preferred_username": null},
		"empty username":            {"preferred_username": ""},
		"username that is a number": {"preferred_username": 1},
		"username with a control":   {"preferred_username": "a\x00"},
		"no subject":                {"sub": nil},
	} {
		t.Run(name, func(t *testing.T) { wantKind(t, v, user(change), fault.Unauthenticated) })
	}
	for name, header := range map[string]object{
		"typ of a logout token": {"typ": "logout+jwt"}, "typ of a jump ticket": {"typ": "hub-jump+jwt"}, "alg none": {"alg": "none"}, "no kid": {"kid": nil},
	} {
		t.Run(name, func(t *testing.T) { wantKind(t, v, signed(header, amy), fault.Unauthenticated) })
	}
	wantKind(t, v, signRS256(foreignKey(), goodHeader, goodClaims.With(amy)), fault.Unauthenticated)
	for _, scope := range []any{nil, "", "client", "openid", "hub:users HUB:USER"} {
		wantKind(t, v, user(object{"scope": scope}), fault.Forbidden)
	}
	open := userConfig()
	open.Scope = ""
	if p, err := token.NewUsers(open).Verify(t.Context(), user(object{"scope": nil})); err != nil || p.User != "amy" {
		t.Errorf("without a scope to have: %v, %v", p, err)
	}
}

func TestKindsAreToldByIssuer(t *testing.T) {
	v := token.Kinds{Clients: token.New(config()), Users: token.NewUsers(userConfig())}
	for range 2 { // verified, and remembered
		if p, err := v.Verify(t.Context(), signed(nil, nil)); err != nil || p.Client != "erp" || p.User != "" {
			t.Errorf("a client: %+v, %v", p, err)
		}
		if p, err := v.Verify(t.Context(), signed(nil, amy)); err != nil || p.User != "amy" || p.Client != "" || p.Scopes != nil {
			t.Errorf("a user: %+v, %v", p, err)
		}
	}
	for _, raw := range []string{
		user(object{"iss": "https://other.test"}), user(object{"iss": nil}),
		user(object{"iss": issuer, "scope": "client", "aud": audience, "azp": nil}), // names no client
		signed(nil, object{"iss": userIssuer}),
		"", "a.b.c", "....", signed(nil, amy) + ".x",
	} {
		wantKind(t, v, raw, fault.Unauthenticated)
	}
	// A key of the one issuer signs nothing of the other.
	foreign := userConfig()
	foreign.Keys = keys.Local(func() []jose.JSONWebKey { return []jose.JSONWebKey{publicKey("k1", foreignKey())} })
	v.Users = token.NewUsers(foreign)
	if _, err := v.Verify(t.Context(), signed(nil, amy)); err == nil {
		t.Error("a token of users passed with the key of the clients")
	}
}

func TestOneIssuerForBothKinds(t *testing.T) {
	users := userConfig()
	users.Issuer = issuer
	cfg := config()
	cfg.RequireType = ""
	v := token.NewShared(token.New(cfg), users)
	both := object{"iss": issuer, "client_id": "erp"}
	if p, err := v.Verify(t.Context(), user(both)); err != nil || p.User != "amy" || p.Client != "" {
		t.Errorf("a user: %+v, %v", p, err)
	}
	if p, err := v.Verify(t.Context(), signed(nil, nil)); err != nil || p.Client != "erp" || p.User != "" {
		t.Errorf("a client: %+v, %v", p, err)
	}
	for name, change := range map[string]object{
		"both scopes":                    {"scope": "client hub:user", "aud": []string{audience, userAudience}},
		"neither scope":                  {"scope": "openid"},
		"no scope":                       {"scope": nil},
		"a user for clients":             {"aud": audience},
		"a client for users":             {"scope": "client"},
		"a user without an audience":     {"aud": nil},
		"a user without a name":          {"preferred_username": nil},
		"a client that nobody has named": {"scope": "client", "aud": audience, "client_id": nil, "azp": nil},
	} {
		t.Run(name, func(t *testing.T) {
			wantKind(t, v, signRS256(ownKey(), goodHeader, goodClaims.With(amy).With(both).With(change)), fault.Unauthenticated)
		})
	}
}
