package issuer_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/oauth/oauthtest"
)

func TestLogHoldsNoSecret(t *testing.T) {
	b := newBench(t)
	raw := b.get(t)
	for range 11 {
		b.ask(t, oauthtest.Request(oauthtest.Form("client_secret", "canary-1")))
	}
	b.ask(t, oauthtest.Request(oauthtest.Form("client_id", "canary-2")))
	b.ask(t, oauthtest.Basic(oauthtest.Request(oauthtest.Form("client_id", "", "client_secret", "")), "canary-3", "canary-4"))
	got := b.log.String()
	for _, secret := range []string{"canary", "erp-key", raw, strings.Split(raw, ".")[2]} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is in the log: %s", secret, got)
		}
	}
	if !strings.Contains(got, `"client_id":"erp"`) || !strings.Contains(got, "token_id") {
		t.Errorf("the log names neither client nor token: %s", got)
	}
}

func TestRefusedRequestsAreLogged(t *testing.T) {
	line := func(level string, status float64, code, description, client string) map[string]any {
		return map[string]any{"level": level, "status": status, "error": code, "description": description, "client_id": client}
	}
	const wrong = "unknown client or wrong secret"
	for name, tc := range map[string]struct {
		request *http.Request
		want    map[string]any
	}{
		"wrong secret":     {oauthtest.Request(oauthtest.Form("client_secret", "x")), line("INFO", 401, "invalid_client", wrong, "erp")},
		"mistyped id":      {oauthtest.Request(oauthtest.Form("client_id", "epr")), line("INFO", 401, "invalid_client", wrong, "e...")},
		"secret as the id": {oauthtest.Request(oauthtest.Form("client_id", strings.Repeat("s3cr3t-", 6))), line("INFO", 401, "invalid_client", wrong, "s3cr3t-s...")},
		"control":          {oauthtest.Request(oauthtest.Form("client_id", "a\n\x1b[2Jb")), line("INFO", 401, "invalid_client", wrong, "a??...")},
		"basic": {
			oauthtest.Basic(oauthtest.Request(oauthtest.Form("client_id", "", "client_secret", "")), "limited", "x"), line("INFO", 401, "invalid_client", wrong, "limited"),
		},
		"scope": {
			oauthtest.Request(oauthtest.Form("scope", "s3cr3t")), line("INFO", 400, "invalid_scope", "the client may not have a scope that it asks for", "erp"),
		},
		"grant": {
			oauthtest.Request(oauthtest.Form("grant_type", "password")), line("INFO", 400, "unsupported_grant_type", "grant_type must be client_credentials", "erp"),
		},
		"no client": {oauthtest.Request(oauthtest.Form("client_id", "")), line("INFO", 400, "invalid_request", "client_id is missing", "")},
		"no form":   {oauthtest.Request("%zz"), line("INFO", 400, "invalid_request", "the body is no form", "")},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.ask(t, tc.request)
			if diff := cmp.Diff([]map[string]any{tc.want}, b.log.Refusals(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("too many", func(t *testing.T) {
		b := newBench(t)
		for range 11 {
			b.ask(t, oauthtest.Request(oauthtest.Form("client_secret", "x")))
		}
		want := line("WARN", 429, "slow_down", "too many failures of this client from this address", "erp")
		if diff := cmp.Diff(want, b.log.Refusals(t)[10]); diff != "" {
			t.Error(diff)
		}
	})
}
