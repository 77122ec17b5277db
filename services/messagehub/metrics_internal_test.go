package messagehub

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
)

// TestMetrics gives each number a value of its own, so that none can stand in the place of another.
func TestMetrics(t *testing.T) {
	r := telemetry.New()
	measure(r, func() Stats {
		return Stats{
			Announced: 1, Swept: 2, Repeated: 3, Errors: 4, Leader: true, WatermarkLag: 5500 * time.Millisecond,
			Removed: 6, TrimLag: 7500 * time.Millisecond, LogBytes: 8,
		}
	})
	want := []string{
		`hub_outbox_announced_total 1`,
		`hub_outbox_errors_total 4`,
		`hub_outbox_lag_seconds 5.5`,
		`hub_outbox_leader 1`,
		`hub_outbox_log_bytes 8`,
		`hub_outbox_repeated_total 3`,
		`hub_outbox_swept_total 2`,
		`hub_outbox_trim_lag_seconds 7.5`,
		`hub_outbox_trimmed_total 6`,
	}
	if diff := cmp.Diff(want, telemetrytest.Scrape(r, "hub_outbox_")); diff != "" {
		t.Error(diff)
	}
}
