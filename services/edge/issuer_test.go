package edge_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"example.com/hub/services/edge"
)

func TestTokenPathOfAnOutsideProvider(t *testing.T) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"scope":"`+r.FormValue("scope")+`"}`)
	}))
	defer provider.Close()
	c, err := load(t, "HUB_TOKEN_URL="+provider.URL, "HUB_TOKEN_SCOPE=api://hub/.default")
	if err != nil {
		t.Fatal(err)
	}
	f, err := edge.NewForwarder(c, edge.ForwarderDeps{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := edge.New(edge.Deps{Config: c, Todo: hubs{}, Messages: hubs{}, Events: &feed{}, Verifier: anyone{}, Forwarder: f})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Shutdown(t.Context()) }()
	if got := tokenPath(t, e, "grant_type=client_credentials&scope=client"); got != `200 {"scope":"api://hub/.default"}` {
		t.Errorf("token path answers %s", got)
	}
	if got := keysPath(t, e); got != http.StatusNotFound {
		t.Errorf("the path of the keys answers %d", got)
	}
}

func TestTokenPathOfTheOwnIssuer(t *testing.T) {
	c, err := load(t, "HUB_SIGNING_KEYS_FILE="+filepath.Join(t.TempDir(), "keys.pem"))
	if err != nil {
		t.Fatal(err)
	}
	c.Issuer.PublicURL = "https://hub.test"
	issuer, err := edge.OpenIssuer(c, edge.IssuerDeps{Clients: edge.DemoClients(), CreateKeys: true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := edge.New(edge.Deps{Config: c, Todo: hubs{}, Messages: hubs{}, Events: &feed{}, Verifier: anyone{}, Issuer: issuer})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Shutdown(t.Context()) }()
	got := tokenPath(t, e, "grant_type=client_credentials&client_id=erp&client_secret=erp-secret")
	if !strings.HasPrefix(got, "200 ") {
		t.Errorf("token path answers %s", got)
	}
	if got := keysPath(t, e); got != http.StatusOK {
		t.Errorf("the path of the keys answers %d", got)
	}
}

// tokenPath gives status and body of the answer to a token request.
func tokenPath(t *testing.T, e *edge.Edge, form string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/login/oauth/token", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	e.Handler().ServeHTTP(w, r)
	return fmt.Sprintf("%d %s", w.Code, w.Body)
}

func keysPath(t *testing.T, e *edge.Edge) int {
	t.Helper()
	w := httptest.NewRecorder()
	e.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/.well-known/jwks.json", nil))
	return w.Code
}
