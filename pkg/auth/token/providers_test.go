package token_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	hubconfig "example.com/hub/pkg/config"
)

// provider is the access token that a well-known identity provider gives to a client for itself, and
// the settings that docs/operations/identity.md names for it.
type provider struct {
	header, claims object
	settings       []string
	client         string
	// needed are the settings without which the token must not pass.
	needed []string
}

const (
	entraTenant = "8f2d1c4e-0b6a-4f57-9a31-6f0c2b7d5e90"
	entraClient = "3b9c7a10-5d2e-4c8f-b1a4-92e6d0f7c835"
	entraAPI    = "c41f6e2d-7a98-4b03-8e5d-1f27a9b6d0c4"
)

var (
	keycloak = object{
		"iss": "https://id.acme.test/realms/acme", "aud": "hub", "sub": "51d0bb4e-2c7f-4f0a-8a3e-0c9d7e6b1f25",
		"typ": "Bearer", "azp": "erp", "acr": "1", "scope": "profile client email", "jti": "trrtcc:0f6a2c1e",
		"realm_access":    object{"roles": []string{"offline_access", "default-roles-acme"}},
		"resource_access": object{"account": object{"roles": []string{"view-profile"}}},
		"email_verified":  false, "preferred_username": "service-account-erp",
		"clientHost": "192.0.2.7", "clientAddress": "192.0.2.7", "client_id": "erp",
	}
	casdoor = object{
		"iss": "https://id.acme.test", "aud": []string{"7c0e4b1f9a2d63e85b70"}, "sub": "admin/app-erp",
		"owner": "admin", "name": "app-erp", "id": "admin/app-erp", "type": "application", "tag": "",
		"tokenType": "access-token", "scope": "client", "azp": "7c0e4b1f9a2d63e85b70",
		"roles": []any{}, "permissions": []any{}, "groups": []any{}, "jti": "admin/5e0f9d2c",
	}
	okta = object{
		"iss": "https://acme.okta.test/oauth2/default", "aud": "api://hub", "sub": "0oa1b2c3d4e5f6g7h8i9",
		"ver": 1, "jti": "AT.kq3v9", "cid": "0oa1b2c3d4e5f6g7h8i9", "scp": []string{"client"}, "nbf": nil,
	}
	entraV2 = object{
		"iss": "https://login.microsoftonline.com/" + entraTenant + "/v2.0", "aud": entraAPI, "ver": "2.0",
		"azp": entraClient, "azpacr": "1", "roles": []string{"client"}, "tid": entraTenant,
		"oid": "d0a3c6f1-84b2-4e79-95d6-3a7e1b0c2f48", "sub": "d0a3c6f1-84b2-4e79-95d6-3a7e1b0c2f48",
		"uti": "Qf2m0", "rh": "1.AXkA", "aio": "k2Bg",
	}
	entraV1 = object{
		"iss": "https://sts.windows.net/" + entraTenant + "/", "aud": "api://hub", "ver": "1.0",
		"appid": entraClient, "appidacr": "1", "idp": "https://sts.windows.net/" + entraTenant + "/",
		"roles": []string{"client"}, "tid": entraTenant, "oid": "d0a3c6f1-84b2-4e79-95d6-3a7e1b0c2f48",
		"sub": "d0a3c6f1-84b2-4e79-95d6-3a7e1b0c2f48", "uti": "Qf2m0", "rh": "1.AXkA", "aio": "k2Bg",
	}
)

var (
	keycloakSettings = []string{"HUB_ISSUER_URL=https://id.acme.test/realms/acme", "HUB_AUDIENCE=hub"}
	entraV2Settings  = []string{
		"HUB_ISSUER_URL=https://login.microsoftonline.com/" + entraTenant + "/v2.0",
		"HUB_AUDIENCE=" + entraAPI, "HUB_SCOPE_CLAIMS=roles",
	}
)

var providers = map[string]provider{
	"Keycloak": {
		object{"typ": "JWT"}, keycloak, keycloakSettings, "erp", []string{"HUB_ISSUER_URL"},
	},
	"Keycloak, several audiences": {
		object{"typ": "JWT"},
		keycloak.With(object{"aud": []string{"account", "hub", "crm"}}),
		keycloakSettings, "erp",
		[]string{"HUB_ISSUER_URL"},
	},
	"Keycloak before client_id": {
		object{"typ": "JWT"},
		keycloak.With(object{"client_id": nil, "clientId": "erp"}),
		keycloakSettings, "erp",
		[]string{"HUB_ISSUER_URL"},
	},
	"Keycloak as in RFC 9068": {
		object{"typ": "at+jwt"}, keycloak, keycloakSettings, "erp", []string{"HUB_ISSUER_URL"},
	},
	"Casdoor": {
		object{"typ": "JWT", "kid": "k1"},
		casdoor,
		[]string{"HUB_ISSUER_URL=https://id.acme.test"},
		"7c0e4b1f9a2d63e85b70",
		[]string{"HUB_ISSUER_URL"},
	},
	"Okta": {
		object{"typ": nil},
		okta,
		[]string{
			"HUB_ISSUER_URL=https://acme.okta.test/oauth2/default", "HUB_AUDIENCE=api://hub", "HUB_CLIENT_ID_CLAIMS=cid",
		},
		"0oa1b2c3d4e5f6g7h8i9",
		[]string{"HUB_ISSUER_URL", "HUB_CLIENT_ID_CLAIMS"},
	},
	"Entra ID, v2.0": {
		object{"typ": "JWT"}, entraV2, entraV2Settings, entraClient, []string{"HUB_ISSUER_URL", "HUB_SCOPE_CLAIMS"},
	},
	"Entra ID, v1.0": {
		object{"typ": "JWT", "x5t": "Zm9v"},
		entraV1,
		[]string{
			"HUB_ISSUER_URL=https://sts.windows.net/" + entraTenant + "/", "HUB_AUDIENCE=api://hub",
			"HUB_CLIENT_ID_CLAIMS=appid", "HUB_SCOPE_CLAIMS=roles",
		},
		entraClient,
		[]string{"HUB_ISSUER_URL", "HUB_CLIENT_ID_CLAIMS", "HUB_SCOPE_CLAIMS"},
	},
	// For a user: what scp, a string, is good for when it is to count.
	"Entra ID, v2.0, scp": {
		object{"typ": "JWT"},
		entraV2.With(object{"roles": nil, "scp": "profile client", "name": "Amy"}),
		slices.Concat(entraV2Settings[:2], []string{"HUB_SCOPE_CLAIMS=scp"}), entraClient,
		[]string{"HUB_ISSUER_URL"},
	},
}

// admits tells whether a service with these settings serves the token's client, and which client that
// is. Settings that are not valid let a service not start.
func admits(t *testing.T, raw string, environ []string) (client string, ok bool) {
	t.Helper()
	var s token.Settings
	if err := hubconfig.Load(&s, environ); err != nil {
		return "", false
	}
	caller, err := s.Verifier(keys.Local(ownKeys)).Verify(t.Context(), raw)
	return caller.Client, err == nil && caller.HasScope(auth.ScopeClient)
}

func without(environ []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool { return strings.HasPrefix(e, name+"=") })
}

func TestTokensOfKnownProvidersPassWithTheirSettings(t *testing.T) {
	for name, p := range providers {
		t.Run(name, func(t *testing.T) {
			raw := providerToken(p.header, p.claims)
			if client, ok := admits(t, raw, p.settings); !ok || client != p.client {
				t.Errorf("client is %q, admitted: %v, want %q", client, ok, p.client)
			}
			for _, setting := range p.needed {
				if _, ok := admits(t, raw, without(p.settings, setting)); ok {
					t.Errorf("without %s it passes too", setting)
				}
			}
			if _, ok := admits(t, raw, append(without(p.settings, "HUB_AUDIENCE"), "HUB_AUDIENCE=other")); ok {
				t.Error("it passes for another audience")
			}
		})
	}
}

// providerToken has the provider's claims only.
func providerToken(header, claims object) string {
	return signRS256(ownKey(), goodHeader.With(header), lasting(claims).With(nil))
}

func TestOtherTokensOfKnownProvidersDoNotPass(t *testing.T) {
	for name, tc := range map[string]struct {
		of      string
		header  object
		changes object
	}{
		"Keycloak, scope not granted":         {"Keycloak", nil, object{"scope": "profile email"}},
		"Keycloak, other realm":               {"Keycloak", nil, object{"iss": "https://id.acme.test/realms/other"}},
		"Keycloak, ID token":                  {"Keycloak", nil, object{"typ": "ID", "aud": []string{"erp", "hub"}}},
		"Keycloak, refresh token":             {"Keycloak", nil, object{"typ": "Refresh"}},
		"Casdoor, scope not granted":          {"Casdoor", nil, object{"scope": "profile"}},
		"Casdoor, refresh token":              {"Casdoor", nil, object{"tokenType": "refresh-token"}},
		"Casdoor, JWT-Custom":                 {"Casdoor", nil, object{"nonce": ""}},
		"Okta, scope not granted":             {"Okta", nil, object{"scp": []string{"profile"}}},
		"Okta, org authorization server":      {"Okta", object{"typ": "application/okta-internal-at+jwt"}, nil},
		"Entra ID, role not granted":          {"Entra ID, v2.0", nil, object{"roles": nil}},
		"Entra ID, token of a user":           {"Entra ID, v2.0", nil, object{"roles": nil, "scp": "client"}},
		"Entra ID, other tenant":              {"Entra ID, v2.0", nil, object{"iss": "https://login.microsoftonline.com/other/v2.0"}},
		"Entra ID, token for another API":     {"Entra ID, v2.0", nil, object{"aud": "00000003-0000-0000-c000-000000000000"}},
		"Entra ID, v1.0 with v2.0 settings":   {"Entra ID, v2.0", nil, entraV1},
		"Entra ID, v2.0 with v1.0 settings":   {"Entra ID, v1.0", nil, entraV2},
		"Entra ID, v1.0 without the slash":    {"Entra ID, v1.0", nil, object{"iss": "https://sts.windows.net/" + entraTenant}},
		"Keycloak, no audience mapper":        {"Keycloak", nil, object{"aud": "account"}},
		"Keycloak, no audience at all":        {"Keycloak", nil, object{"aud": nil}},
		"Keycloak, no scope":                  {"Keycloak", nil, object{"scope": nil}},
		"Keycloak, neither azp nor client_id": {"Keycloak", nil, object{"client_id": nil, "azp": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			p := providers[tc.of]
			raw := providerToken(p.header.With(tc.header), p.claims.With(tc.changes))
			if client, ok := admits(t, raw, p.settings); ok {
				t.Errorf("it passes for %q", client)
			}
		})
	}
}
