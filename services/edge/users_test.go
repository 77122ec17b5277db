package edge_test

import (
	"strings"
	"testing"
)

func TestSettingsOfUsersNameTheirFault(t *testing.T) {
	const issuer, audience = "HUB_USER_ISSUER_URL=https://id.test", "HUB_USER_AUDIENCE=hub-users"
	for want, environ := range map[string][]string{
		"HUB_USER_ISSUER_URL: must be an http or https URL":      {"HUB_USER_ISSUER_URL=id.test", audience},
		"HUB_USER_ISSUER_URL: must be https where people log in": {"HUB_USER_ISSUER_URL=http://id.test", audience, "HUB_LOGIN_CLIENT_ID=portal"},
		"HUB_USER_AUDIENCE: must be set together":                {issuer},
		"HUB_LOGIN_CLIENT_ID: needs HUB_USER_ISSUER_URL":         {"HUB_LOGIN_CLIENT_ID=portal"},
		"HUB_LOGIN_CLIENT_SECRET_FILE: needs":                    {"HUB_LOGIN_CLIENT_SECRET_FILE=secret"},
		"HUB_LOGIN_SCOPES: must be scopes":                       {"HUB_LOGIN_SCOPES=profile,email"},
		"HUB_USER_SCOPE: must name a scope":                      {issuer, "HUB_USER_AUDIENCE=portal", "HUB_LOGIN_CLIENT_ID=portal", "HUB_USER_SCOPE=-"},
		"HUB_USER_IDS: must be username or directory":            {"HUB_USER_IDS=name"},
		"HUB_ROLE_PERMISSIONS: must name permissions":            {"HUB_ROLE_PERMISSIONS=claim:a=b"},
	} {
		if _, err := load(t, environ...); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %s", environ, err, want)
		}
	}
	for _, environ := range [][]string{
		{issuer, audience},
		{"HUB_USER_ISSUER_URL=http://id.test", audience},
		{issuer, audience, "HUB_USER_SCOPE=-"},
		{"HUB_USER_IDS=username"},
		{issuer, audience, "HUB_LOGIN_CLIENT_ID=portal"},
		{"HUB_USER_ISSUER_URL=http://127.0.0.1:9000", audience, "HUB_LOGIN_CLIENT_ID=portal"},
	} {
		if _, err := load(t, environ...); err != nil {
			t.Errorf("%v: %v", environ, err)
		}
	}
}
