package hubctl

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
)

// handling is what a proxy does with a request: it answers itself or passes it on.
type handling func(w http.ResponseWriter, r *http.Request, pass http.Handler)

// proxy stands in front of a Hub.
func proxy(t *testing.T, hub string, handle handling) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(through(t, hub, handle))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

func through(t *testing.T, hub string, handle handling) http.Handler {
	t.Helper()
	to, err := url.Parse(hub)
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, pass) })
}
