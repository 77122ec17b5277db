package allinone_test

import (
	"log/slog"
	"strings"
	"testing"

	"example.com/hub/pkg/config"
	"example.com/hub/services/allinone"
)

// TestStartsThatUsersForbid has settings that fit each by itself and not together.
func TestStartsThatUsersForbid(t *testing.T) {
	const issuer = "http://127.0.0.1:1"
	provider := []string{"HUB_USER_ISSUER_URL=" + issuer, "HUB_USER_AUDIENCE=hub-users", "HUB_LOGIN_CLIENT_ID=portal"}
	shared := append([]string{"HUB_ISSUER_URL=" + issuer}, provider...)
	for want, environ := range map[string][]string{
		"HUB_PUBLIC_URL: must be https where users log in":            append([]string{"HUB_PUBLIC_URL=http://hub.test"}, provider...),
		"HUB_PUBLIC_URL: must not end with a slash":                   append([]string{"HUB_PUBLIC_URL=https://hub.test/"}, provider...),
		"HUB_LOGIN_CLIENT_SECRET_FILE: ":                              append([]string{"HUB_LOGIN_CLIENT_SECRET_FILE=/nowhere"}, provider...),
		"HUB_USER_AUDIENCE: must differ from HUB_AUDIENCE":            shared,
		"HUB_USER_AUDIENCE: must differ from HUB_AUDIENCE, which":     append([]string{"HUB_AUDIENCE=hub-users"}, shared...),
		"HUB_USER_SCOPE: must name a scope other than client":         append([]string{"HUB_AUDIENCE=hub", "HUB_USER_SCOPE=-"}, shared...),
		"HUB_USER_SCOPE: must name a scope other than client where u": append([]string{"HUB_AUDIENCE=hub", "HUB_USER_SCOPE=client"}, shared...),
		"": append([]string{"HUB_AUDIENCE=hub"}, shared...),
	} {
		var cfg allinone.Config
		err := config.Load(&cfg, append([]string{
			"HUB_HTTP_ADDR=127.0.0.1:0", "HUB_GRPC_ADDR=127.0.0.1:0", "HUB_DATA_DIR=" + t.TempDir(),
		}, environ...))
		if err == nil && want != "" {
			_, err = allinone.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
		}
		if want == "" && err == nil {
			start(t, environ...)
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", environ, err, want)
		}
	}
}
