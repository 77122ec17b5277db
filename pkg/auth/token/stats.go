package token

import "example.com/hub/pkg/telemetry"

// Stats tell of the tokens that a Verifier remembers.
type Stats struct {
	// Entries is the number of tokens.
	Entries int
	// Hits and Misses count tokens that were remembered, or not, since the verifier was made.
	Hits, Misses uint64
}

// Stats reads the counters of the cache.
func (v *Verifier) Stats() Stats {
	return Stats{Entries: v.cache.Len(), Hits: v.hits.Load(), Misses: v.misses.Load()}
}

// Measure adds the metrics of the cache.
func (v *Verifier) Measure(r *telemetry.Registry) {
	const lookups, help = "hub_token_cache_lookups_total", "Tokens to verify, by whether they were verified before and are remembered."
	telemetry.Read(
		r, v.Stats,
		telemetry.Gauge("hub_token_cache_entries", "Verified tokens that are remembered.",
			func(s Stats) int { return s.Entries }),
		telemetry.Counter(lookups, help, func(s Stats) uint64 { return s.Hits }, "result", "hit"),
		telemetry.Counter(lookups, help, func(s Stats) uint64 { return s.Misses }, "result", "miss"),
	)
}
