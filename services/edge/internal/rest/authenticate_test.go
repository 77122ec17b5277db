package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/rest"
)

const bare = `Bearer realm="hub"`

func TestTokens(t *testing.T) {
	tests := map[string]struct {
		headers   []string
		query     string
		body      string
		status    int
		challenge string
	}{
		"none":                 {nil, "", "", 401, bare},
		"empty":                {[]string{""}, "", "", 401, bare},
		"scheme only":          {[]string{"Bearer"}, "", "", 401, bare},
		"scheme and blank":     {[]string{"Bearer "}, "", "", 401, bare},
		"other scheme":         {[]string{"Basic Z29vZA=="}, "", "", 401, bare},
		"no scheme":            {[]string{"good"}, "", "", 401, bare},
		"two headers":          {[]string{"Bearer good", "Bearer good"}, "", "", 401, bare},
		"two tokens":           {[]string{"Bearer good good"}, "", "", 401, bare},
		"in the query":         {nil, "?access_token=good", "", 401, bare},
		"in the body":          {nil, "", "access_token=good", 401, bare},
		"not valid":            {[]string{"Bearer bad"}, "", "", 401, bare + `, error="invalid_token"`},
		"without the scope":    {[]string{"Bearer poor"}, "", "", 403, bare + `, error="insufficient_scope", scope="client"`},
		"keys not there yet":   {[]string{"Bearer nokeys"}, "", "", 503, ""},
		"verifier has a fault": {[]string{"Bearer defect"}, "", "", 500, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for path, methods := range paths {
				if !strings.Contains(path, "-hub/") {
					continue
				}
				for _, method := range methods {
					f := newFront(t)
					r := httptest.NewRequestWithContext(t.Context(), method, path+tt.query, strings.NewReader(tt.body))
					r.Header["Authorization"] = tt.headers
					r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
					w := httptest.NewRecorder()
					f.ServeHTTP(w, r)
					msg := wantFailure(t, w, tt.status)
					wantHeader(t, w, "WWW-Authenticate", tt.challenge)
					if strings.Contains(msg, "10.0.0.1") || f.hub.calls+f.streams.calls != 0 {
						t.Errorf("%s %s: message %q after %d calls", method, path, msg, f.hub.calls)
					}
				}
			}
		})
	}
}

func TestSchemeInAnyCase(t *testing.T) {
	if w := newFront(t).send(t, "GET", "/todo-hub/todos", "", "Authorization", "bEARER  good"); w.Code != http.StatusOK {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

func TestStrangersBodyIsNotRead(t *testing.T) {
	body := &countingReader{Reader: strings.NewReader("{}")}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/todo-hub/todos", body)
	w := httptest.NewRecorder()
	newFront(t).ServeHTTP(w, r)
	wantFailure(t, w, http.StatusUnauthorized)
	if body.reads != 0 {
		t.Errorf("the body was read %d times", body.reads)
	}
}

type countingReader struct {
	*strings.Reader
	reads int
}

func (c *countingReader) Read(b []byte) (int, error) {
	c.reads++
	return c.Reader.Read(b)
}

func TestNothingButTheTokenAndTheRequestIDReachesTheHub(t *testing.T) {
	f := newFront(t)
	f.send(t, "POST", "/todo-hub/todos", "{}",
		"Authorization", "Bearer good",
		"Grpc-Metadata-Authorization", "Bearer forged",
		"Grpc-Metadata-X-Client-Id", "admin",
		"Grpc-Metadata-Data-Bin", "!!",
		"Grpc-Timeout", "1n",
		"X-Forwarded-For", "10.9.8.7",
		"X-Forwarded-Host", "evil.example",
		"Cookie", "a=b",
		"Te", "trailers",
		"Connection", "keep-alive",
		"X-Client-Id", "admin",
		"Grpc-Metadata-X-Request-Id", "forged",
		"X-Request-Id", "r-1",
	)
	if f.hub.calls != 1 {
		t.Fatalf("%d calls", f.hub.calls)
	}
	want := metadata.MD{"authorization": {"Bearer good"}, "x-request-id": {"r-1"}}
	if diff := cmp.Diff(want, f.hub.metadata); diff != "" {
		t.Errorf("metadata differs (-want +got):\n%s", diff)
	}
}

func TestEndpointWithoutARuleIsDeniedToEveryone(t *testing.T) {
	f := newFront(t, func(d *rest.Deps) { d.Areas[0].Endpoints[0].Rule = auth.Rule{} })
	wantMessage(t, f.send(t, http.MethodPost, "/todo-hub/todos", "{}"), http.StatusForbidden, "this caller may not make the call")
	if f.hub.calls != 0 {
		t.Error("the hub was called")
	}
}
