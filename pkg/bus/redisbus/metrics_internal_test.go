package redisbus

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
)

// TestMetrics gives each number a value of its own, so that none can stand in the place of another.
func TestMetrics(t *testing.T) {
	r := telemetry.New()
	measure(r, func() Stats {
		return Stats{Published: 1, Dropped: 2, Heard: 3, BadFrames: 4, Skipped: 5, Replaced: 6, QueuedBytes: 7, Up: true}
	})
	want := []string{
		`hub_bus_bad_frames_total 4`,
		`hub_bus_events_dropped_total 2`,
		`hub_bus_events_heard_total 3`,
		`hub_bus_events_published_total 1`,
		`hub_bus_events_skipped_total 5`,
		`hub_bus_queue_bytes 7`,
		`hub_bus_subscriptions_replaced_total 6`,
		`hub_bus_up 1`,
	}
	if diff := cmp.Diff(want, telemetrytest.Scrape(r, "hub_bus_")); diff != "" {
		t.Error(diff)
	}
}
