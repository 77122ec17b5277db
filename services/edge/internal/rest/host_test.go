package rest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/hub/services/edge/internal/rest"
)

func TestOnlyItsOwnHostsAreServed(t *testing.T) {
	hosts := func(d *rest.Deps) { d.Hosts = []string{"localhost", "127.0.0.1", "::1", "hub.test"} }
	ask := func(f *front, host, target string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		r.Host = host
		r.Header.Set("Authorization", "Bearer good")
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		return w
	}
	for host, served := range map[string]bool{
		"localhost": true, "localhost:8080": true, "LocalHost:1": true, "127.0.0.1": true, "127.0.0.1:8080": true, "[::1]": true,
		"[::1]:8080": true, "hub.test": true, "HUB.test:443": true,
		"": false, "evil.example": false, "evil.example:8080": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"127.0.0.2": false, "0.0.0.0:8080": false, "[::]:8080": false, "::1": false, "evil.example:127.0.0.1": false, "x@localhost": false,
	} {
		t.Run(host, func(t *testing.T) {
			for _, target := range []string{"/message-hub/inbox", "/message-hub/stream?user=amy", "/api/login/oauth/token", "/openapi.yaml", "/nothing"} {
				w := ask(newFront(t, hosts), host, target)
				if served {
					if w.Code == http.StatusForbidden {
						t.Errorf("%s: %d %s", target, w.Code, w.Body)
					}
					continue
				}
				wantMessage(t, w, http.StatusForbidden, "this host is not served here")
			}
		})
	}
	masked := newFront(t, hosts, func(d *rest.Deps) { d.MaskErrors = true })
	wantMessage(t, ask(masked, "evil.example", "/nothing"), http.StatusForbidden, "this host is not served here")
	if w := ask(newFront(t), "evil.example", "/message-hub/inbox"); w.Code != http.StatusOK {
		t.Errorf("an edge without a list answers %d", w.Code)
	}
}
