package messagehub

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/telemetry"
)

// TestMetrics gives each number a value of its own, so that none can stand in the place of another.
func TestMetrics(t *testing.T) {
	r := telemetry.New()
	measure(r, func() Stats {
		return Stats{Announced: 1, Swept: 2, Repeated: 3, Errors: 4, Leader: true, FenceLag: 5500 * time.Millisecond}
	})
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	var got []string
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "hub_outbox_") {
			got = append(got, strings.TrimSuffix(line, "\n"))
		}
	}
	want := []string{
		`hub_outbox_announced_total 1`,
		`hub_outbox_errors_total 4`,
		`hub_outbox_lag_seconds 5.5`,
		`hub_outbox_leader 1`,
		`hub_outbox_repeated_total 3`,
		`hub_outbox_swept_total 2`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
