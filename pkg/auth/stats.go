package auth

import (
	"time"

	"example.com/hub/pkg/telemetry"
)

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

// KeyStats tell of the keys that RemoteKeys fetches.
type KeyStats struct {
	// Age is the time since a set was had, or since the start when none was yet.
	Age time.Duration
	// Failures counts fetches that brought no set.
	Failures uint64
}

// Stats reads the age of the set and the counter.
func (k *RemoteKeys) Stats() KeyStats {
	k.mu.Lock()
	defer k.mu.Unlock()
	since := k.started
	if !k.fetched.IsZero() {
		since = k.fetched
	}
	return KeyStats{Age: k.clock().Sub(since), Failures: k.failures}
}

// Measure adds the metrics of the keys.
func (k *RemoteKeys) Measure(r *telemetry.Registry) {
	telemetry.Read(
		r, k.Stats,
		telemetry.Gauge("hub_token_keys_age_seconds", "Time since the issuer's keys were fetched, or since the start; not of an edge that issues tokens itself.",
			func(s KeyStats) float64 { return s.Age.Seconds() }),
		telemetry.Counter("hub_token_keys_fetch_failures_total", "Fetches of the issuer's keys that failed.",
			func(s KeyStats) uint64 { return s.Failures }),
	)
}
