package eventcenter_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"example.com/hub/services/edge/internal/eventcenter"
)

// BenchmarkCall is a small call over loopback. The baseline is a bare reverse proxy, which judges no path, takes
// no header out and bounds nothing.
func BenchmarkCall(b *testing.B) {
	const body = `{"event":"created"}`
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}))
	defer upstream.Close()
	for _, proxy := range proxies(b, upstream.URL) {
		b.Run("small/against=proxy/impl="+proxy.name, func(b *testing.B) {
			edge := httptest.NewServer(proxy.handler)
			defer edge.Close()
			b.ReportAllocs()
			for b.Loop() {
				resp, err := edge.Client().Get(edge.URL + eventcenter.Path + "/topics/orders?since=7")
				if err != nil {
					b.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil || string(got) != body {
					b.Fatalf("%s %s, %v", resp.Status, got, err)
				}
			}
		})
	}
}

// proxy is a way to an event center.
type proxy struct {
	name    string
	handler http.Handler
}

// proxies are a bare one and Hub's.
func proxies(b *testing.B, upstream string) []proxy {
	b.Helper()
	to, err := url.Parse(upstream)
	if err != nil {
		b.Fatal(err)
	}
	bare := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1}
	center := open(b, eventcenter.Deps{Config: eventcenter.Config{URL: upstream}})
	return []proxy{{"baseline", bare}, {"hub", edgeOf(center, nil)}}
}
