// Package telemetrytest is for tests that look at metrics.
package telemetrytest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/hub/pkg/telemetry"
)

// Scrape gives the samples of all metrics whose name begins with prefix, as Prometheus reads them, in
// the order of their names. A registry that cannot be scraped has none.
func Scrape(r *telemetry.Registry, prefix string) []string {
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/metrics", nil))
	var samples []string
	for line := range strings.Lines(w.Body.String()) {
		if w.Code == http.StatusOK && strings.HasPrefix(line, prefix) {
			samples = append(samples, strings.TrimSuffix(line, "\n"))
		}
	}
	return samples
}
