package pg

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
		return Stats{InUse: 1, Idle: 2, Max: 3, Waits: 4, Timeouts: 5, WaitTime: 6500 * time.Millisecond, Heavy: 7, HeavyMax: 8, HeavyTimeouts: 9}
	})
	want := []string{
		`hub_database_acquire_timeouts_total 5`,
		`hub_database_acquire_wait_seconds_total 6.5`,
		`hub_database_acquire_waits_total 4`,
		`hub_database_connections{state="idle"} 2`,
		`hub_database_connections{state="in_use"} 1`,
		`hub_database_connections_max 3`,
		`hub_database_heavy_calls 7`,
		`hub_database_heavy_calls_max 8`,
		`hub_database_heavy_timeouts_total 9`,
	}
	if diff := cmp.Diff(want, telemetrytest.Scrape(r, "hub_database_")); diff != "" {
		t.Error(diff)
	}
}
