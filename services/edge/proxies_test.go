package edge_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/services/edge"
)

// behindProxies makes an edge with demo clients and a log that reads as text.
func behindProxies(t *testing.T, log *strings.Builder, environ ...string) *edge.Edge {
	t.Helper()
	c, err := load(t, append(environ, "HUB_SIGNING_KEYS_FILE="+filepath.Join(t.TempDir(), "keys.pem"))...)
	if err != nil {
		t.Fatal(err)
	}
	c.Issuer.PublicURL = "https://hub.test"
	logger := slog.New(slog.NewTextHandler(log, nil))
	issuer, err := edge.OpenIssuer(c, edge.IssuerDeps{Clients: edge.DemoClients(), CreateKeys: true, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	e, err := edge.New(edge.Deps{Config: c, Todo: hubs{}, Messages: hubs{}, Events: &feed{}, Verifier: anyone{}, Issuer: issuer, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Shutdown(t.Context()) })
	return e
}

// guess asks for a token with a wrong secret, through a proxy at 10.0.0.1, and gives the status.
func guess(t *testing.T, e *edge.Edge, forwardedFor string) int {
	t.Helper()
	form := strings.NewReader("grant_type=client_credentials&client_id=erp&client_secret=wrong")
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/login/oauth/token", form)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", forwardedFor)
	r.RemoteAddr = "10.0.0.1:1234"
	w := httptest.NewRecorder()
	e.Handler().ServeHTTP(w, r)
	return w.Code
}

// wearOut uses up what wrong secrets are forgiven.
func wearOut(t *testing.T, e *edge.Edge, forwardedFor string) {
	t.Helper()
	for range 10 {
		if got := guess(t, e, forwardedFor); got != http.StatusUnauthorized {
			t.Fatalf("status %d", got)
		}
	}
}

func TestFailuresAreLimitedByTheAddressBehindTrustedProxies(t *testing.T) {
	var log strings.Builder
	e := behindProxies(t, &log, "HUB_TRUSTED_PROXIES=10.0.0.0/8")
	wearOut(t, e, "203.0.113.5")
	for forwardedFor, want := range map[string]int{
		"203.0.113.5":          http.StatusTooManyRequests,
		"1.1.1.1, 203.0.113.5": http.StatusTooManyRequests, // says who he is not
		"203.0.113.6":          http.StatusUnauthorized,
	} {
		if got := guess(t, e, forwardedFor); got != want {
			t.Errorf("from %s: status %d, want %d", forwardedFor, got, want)
		}
	}
	wearOut(t, e, "2001:db8::1")
	for forwardedFor, want := range map[string]int{"2001:db8::ffff:2": http.StatusTooManyRequests, "2001:db8:0:1::1": http.StatusUnauthorized} {
		if got := guess(t, e, forwardedFor); got != want {
			t.Errorf("from %s: status %d, want %d", forwardedFor, got, want)
		}
	}
	if !strings.Contains(log.String(), `msg="http request"`) || !strings.Contains(log.String(), "address=203.0.113.5") || strings.Contains(log.String(), "1.1.1.1") {
		t.Errorf("the log does not name the callers:\n%s", &log)
	}
}

func TestNobodyChoosesAnAddressWithoutTrustedProxies(t *testing.T) {
	var log strings.Builder
	e := behindProxies(t, &log)
	wearOut(t, e, "203.0.113.5")
	if got := guess(t, e, "203.0.113.6"); got != http.StatusTooManyRequests {
		t.Errorf("status %d for another address in the header", got)
	}
	if strings.Contains(log.String(), "203.0.113") || !strings.Contains(log.String(), "address=10.0.0.1") {
		t.Errorf("the log believes the header:\n%s", &log)
	}
}

func TestBadProxiesAreASetting(t *testing.T) {
	_, err := load(t, "HUB_TRUSTED_PROXIES=10.0.0.0/8,everybody")
	if want := `HUB_TRUSTED_PROXIES: "everybody" is no address and no network in CIDR notation`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
