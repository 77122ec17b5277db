package keys

import (
	"time"

	"example.com/hub/pkg/telemetry"
)

// Stats tell of the keys that Remote fetches.
type Stats struct {
	// Age is the time since a set was had, or since the start when none was yet.
	Age time.Duration
	// Failures counts fetches that brought no set.
	Failures uint64
}

// Stats reads the age of the set and the counter.
func (k *Remote) Stats() Stats {
	k.mu.Lock()
	defer k.mu.Unlock()
	since := k.started
	if !k.fetched.IsZero() {
		since = k.fetched
	}
	return Stats{Age: k.clock().Sub(since), Failures: k.failures}
}

// Measure adds the metrics of the keys.
func (k *Remote) Measure(r *telemetry.Registry) {
	telemetry.Read(
		r, k.Stats,
		telemetry.Gauge("hub_token_keys_age_seconds", "Time since the issuer's keys were fetched, or since the start; not of an edge that issues tokens itself.",
			func(s Stats) float64 { return s.Age.Seconds() }),
		telemetry.Counter("hub_token_keys_fetch_failures_total", "Fetches of the issuer's keys that failed.",
			func(s Stats) uint64 { return s.Failures }),
	)
}
