package main

import (
	"strings"
	"testing"

	settings "example.com/hub/pkg/config"
)

// TestLoginFaultsAreAmongThoseOfTheSettings wants them all at once, also from who only asks for the faults.
func TestLoginFaultsAreAmongThoseOfTheSettings(t *testing.T) {
	provider := []string{"HUB_USER_ISSUER_URL=https://login.test", "HUB_USER_AUDIENCE=hub-users", "HUB_LOGIN_CLIENT_ID=portal"}
	for want, environ := range map[string][]string{
		"HUB_LOGIN_CLIENT_ID: needs HUB_SECRETS_FILE":      provider,
		"HUB_PUBLIC_URL: must be https where users log in": append([]string{"HUB_SECRETS_FILE=/secrets", "HUB_PUBLIC_URL=http://hub.test"}, provider...),
	} {
		var cfg config
		err := settings.Load(&cfg, append([]string{"HUB_LOG_LEVEL=wrong"}, environ...))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "HUB_LOG_LEVEL: ") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
