package auth

import "example.com/hub/pkg/telemetry"

// CacheStats tell of the tokens that a TokenVerifier remembers.
type CacheStats struct {
	// Entries is the number of tokens.
	Entries int
	// Hits and Misses count tokens that were remembered, or not, since the verifier was made.
	Hits, Misses uint64
}

// Stats reads the counters of the cache.
func (v *TokenVerifier) Stats() CacheStats {
	return CacheStats{Entries: v.cache.Len(), Hits: v.hits.Load(), Misses: v.misses.Load()}
}

// Measure adds the metrics of the cache.
func (v *TokenVerifier) Measure(r *telemetry.Registry) {
	const lookups, help = "hub_token_cache_lookups_total", "Tokens to verify, by whether they were verified before and are remembered."
	telemetry.Read(
		r, v.Stats,
		telemetry.Gauge("hub_token_cache_entries", "Verified tokens that are remembered.",
			func(s CacheStats) int { return s.Entries }),
		telemetry.Counter(lookups, help, func(s CacheStats) uint64 { return s.Hits }, "result", "hit"),
		telemetry.Counter(lookups, help, func(s CacheStats) uint64 { return s.Misses }, "result", "miss"),
	)
}
