package edge_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"google.golang.org/grpc"

	"example.com/hub/services/edge"
)

// TestPortalPathsNeedPortalhub asks as a client, who may call none of them.
func TestPortalPathsNeedPortalhub(t *testing.T) {
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	for status, portalhub := range map[int]grpc.ClientConnInterface{http.StatusNotFound: nil, http.StatusForbidden: hubs{}} {
		e, err := edge.New(edge.Deps{
			Config: c, Todo: hubs{}, Messages: hubs{}, Portal: portalhub, Events: &feed{}, Verifier: anyone{}, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		for path, method := range map[string]string{
			"/portal/home": "GET", "/portal/todos": "GET", "/portal/messages": "GET", "/portal/messages/m/read": "POST",
			"/portal/messages/read-all": "POST", "/portal/admin/permissions": "GET",
		} {
			r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
			r.Header.Set("Authorization", "Bearer good")
			w := httptest.NewRecorder()
			e.Handler().ServeHTTP(w, r)
			if w.Code != status {
				t.Errorf("%s: %d %s, want %d", path, w.Code, w.Body, status)
			}
		}
		if err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
