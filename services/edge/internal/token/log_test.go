package token_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/token"
)

func TestLogHoldsNoSecret(t *testing.T) {
	b := newBench(t)
	raw := b.get(t)
	for range 11 {
		b.ask(t, request(form("client_secret", "canary-1")))
	}
	b.ask(t, request(form("client_id", "canary-2")))
	b.ask(t, basic(request(form("client_id", "", "client_secret", "")), "canary-3", "canary-4"))
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

// refusals reads the lines of refused requests.
func refusals(t *testing.T, log string) []map[string]any {
	t.Helper()
	var all []map[string]any
	for text := range strings.Lines(log) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if line["msg"] == "token refused" {
			delete(line, "time")
			delete(line, "msg")
			all = append(all, line)
		}
	}
	return all
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
		"wrong secret":     {request(form("client_secret", "x")), line("INFO", 401, "invalid_client", wrong, "erp")},
		"mistyped id":      {request(form("client_id", "epr")), line("INFO", 401, "invalid_client", wrong, "e...")},
		"secret as the id": {request(form("client_id", strings.Repeat("s3cr3t-", 6))), line("INFO", 401, "invalid_client", wrong, "s3cr3t-s...")},
		"control":          {request(form("client_id", "a\n\x1b[2Jb")), line("INFO", 401, "invalid_client", wrong, "a??...")},
		"basic": {
			basic(request(form("client_id", "", "client_secret", "")), "limited", "x"), line("INFO", 401, "invalid_client", wrong, "limited"),
		},
		"scope": {
			request(form("scope", "s3cr3t")), line("INFO", 400, "invalid_scope", "the client may not have a scope that it asks for", "erp"),
		},
		"grant": {
			request(form("grant_type", "password")), line("INFO", 400, "unsupported_grant_type", "grant_type must be client_credentials", "erp"),
		},
		"no client": {request(form("client_id", "")), line("INFO", 400, "invalid_request", "client_id is missing", "")},
		"no form":   {request("%zz"), line("INFO", 400, "invalid_request", "the body is no form", "")},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.ask(t, tc.request)
			if diff := cmp.Diff([]map[string]any{tc.want}, refusals(t, b.log.String())); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("too many", func(t *testing.T) {
		b := newBench(t)
		for range 11 {
			b.ask(t, request(form("client_secret", "x")))
		}
		want := line("WARN", 429, "slow_down", "too many failures of this client from this address", "erp")
		if diff := cmp.Diff(want, refusals(t, b.log.String())[10]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRefusalsOfTheProviderAreLogged(t *testing.T) {
	for name, tc := range map[string]struct{ answer, code string }{
		"a code":      {`{"error":"invalid_client","error_description":"erp-key"}`, "invalid_client"},
		"other words": {`{"error":"no client has the secret erp-key"}`, ""},
		"no text":     {`{"error":5}`, ""},
		"none":        {`{}`, ""},
		"endless":     {`{"error":"` + strings.Repeat("x", 1000) + `"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			p.answers(reply(http.StatusUnauthorized, "application/json", tc.answer))
			f := forward(t, token.ForwarderConfig{}, token.ForwarderDeps{Issuer: p.URL})
			f.send(t, request(form("client_id", "erp-backend")))
			want := []map[string]any{{
				"level": "INFO", "status": 401.0, "error": tc.code, "description": "the identity provider refused the request", "client_id": "erp-b...",
			}}
			if diff := cmp.Diff(want, refusals(t, f.log.String())); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(f.log.String(), "erp-key") {
				t.Errorf("the log is %s", f.log)
			}
		})
	}
}
