package session

import (
	"sync/atomic"

	"example.com/hub/pkg/telemetry"
)

type counters struct {
	begun, ended, renewed                                 atomic.Uint64
	refusedSite, refusedCookie, refusedEnded, refusedAway atomic.Uint64
}

// Stats are counts since New.
type Stats struct {
	// Begun and Ended count logins and logouts here.
	Begun, Ended uint64
	// Renewed counts cookies that were renewed.
	Renewed uint64
	// Refused counts requests whose cookie did not count: of another site, not to be opened, of a session
	// that has ended, or while the store was away.
	RefusedSite, RefusedCookie, RefusedEnded, RefusedAway uint64
	// Away tells that the store did not answer when it was last asked.
	Away bool
}

// Stats reads the counters.
func (s *Sessions) Stats() Stats {
	return Stats{
		Begun: s.stats.begun.Load(), Ended: s.stats.ended.Load(), Renewed: s.stats.renewed.Load(),
		RefusedSite: s.stats.refusedSite.Load(), RefusedCookie: s.stats.refusedCookie.Load(),
		RefusedEnded: s.stats.refusedEnded.Load(), RefusedAway: s.stats.refusedAway.Load(),
		Away: s.away.Load(),
	}
}

// Measure adds the metrics of sessions.
func (s *Sessions) Measure(r *telemetry.Registry) {
	const (
		refusals = "hub_edge_sessions_refused_total"
		refused  = "Requests whose session cookie did not count: it came from another site, could not be opened, was of a session that has ended, or nobody could tell."
	)
	telemetry.Read(
		r, s.Stats,
		telemetry.Counter("hub_edge_sessions_begun_total", "Sessions that were begun by a login.",
			func(s Stats) uint64 { return s.Begun }),
		telemetry.Counter("hub_edge_sessions_ended_total", "Sessions that were ended by a logout, or by the next login of the same browser.",
			func(s Stats) uint64 { return s.Ended }),
		telemetry.Counter("hub_edge_sessions_renewed_total", "Session cookies that were renewed.",
			func(s Stats) uint64 { return s.Renewed }),
		telemetry.Counter(refusals, refused, func(s Stats) uint64 { return s.RefusedSite }, "reason", "site"),
		telemetry.Counter(refusals, refused, func(s Stats) uint64 { return s.RefusedCookie }, "reason", "cookie"),
		telemetry.Counter(refusals, refused, func(s Stats) uint64 { return s.RefusedEnded }, "reason", "ended"),
		telemetry.Counter(refusals, refused, func(s Stats) uint64 { return s.RefusedAway }, "reason", "away"),
		telemetry.Gauge("hub_edge_sessions_away", "1 while sessions are not renewed because their store is away, else 0.",
			func(s Stats) int { return telemetry.Flag(s.Away) }),
	)
}
