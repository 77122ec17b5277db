package contract

import (
	"crypto/rand"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const (
	// callTimeout bounds every call, so that a target that hangs fails a case instead of the run.
	callTimeout = 60 * time.Second
	// eventTimeout is how long an event may take to reach a stream.
	eventTimeout = 15 * time.Second
	// clockSlack is how far the clocks of the suite and of the target may be apart.
	clockSlack = 2 * time.Minute
)

// documentPath is where the target describes its answers.
const documentPath = "/openapi.yaml"

// suite is a target and what all cases share.
type suite struct {
	target  Target
	set     Settings
	base    *url.URL
	api     *document
	http    *http.Client
	main    *caller
	other   *caller
	limited *caller
}

// newSuite checks that the target can be tested at all: it answers, has a valid OpenAPI document,
// and knows the clients.
func newSuite(t *testing.T, target Target) *suite {
	t.Helper()
	if err := target.check(); err != nil {
		t.Fatalf("target: %v", err)
	}
	base, err := url.Parse(strings.TrimSuffix(target.BaseURL, "/"))
	if err != nil {
		t.Fatalf("target: %v", err)
	}
	transport := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: callTimeout}).DialContext,
		MaxIdleConnsPerHost:   64,
		ResponseHeaderTimeout: callTimeout,
		TLSClientConfig:       &tls.Config{RootCAs: target.Authorities, MinVersion: tls.VersionTLS12},
	}
	s := &suite{
		target: target,
		set:    target.Settings,
		base:   base,
		http: &http.Client{
			Transport: transport,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
	}
	t.Cleanup(transport.CloseIdleConnections)

	raw := s.send(t, request{method: http.MethodGet, path: documentPath})
	if raw.status != http.StatusOK {
		t.Fatalf("the target has no OpenAPI document: %s", raw)
	}
	if s.api, err = loadDocument(t.Context(), raw.data); err != nil {
		t.Fatalf("the target's OpenAPI document: %v", err)
	}
	s.main = newCaller(s, target.Client, "client")
	s.other = newCaller(s, target.Other, "client")
	s.limited = newCaller(s, target.Limited, target.LimitedScope)
	for _, c := range []*caller{s.main, s.other, s.limited} {
		c.bearer(t)
	}
	return s
}

// fresh makes a name that no run has used before.
func fresh(prefix string) string { return prefix + "-" + strings.ToLower(rand.Text()[:16]) }
