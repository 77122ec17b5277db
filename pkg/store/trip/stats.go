package trip

import "example.com/hub/pkg/telemetry"

// stats are counts of shared statements since the start, and of their calls.
type stats struct{ statements, calls uint64 }

// Measure adds the metrics of the shared statements, which have this name.
func (g *Group[K, P, R]) Measure(r *telemetry.Registry, statement string) {
	telemetry.Read(
		r, func() stats {
			g.mu.Lock()
			defer g.mu.Unlock()
			return g.stats
		},
		telemetry.Counter("hub_database_shared_statements_total", "Database statements that several calls shared.",
			func(s stats) uint64 { return s.statements }, "statement", statement),
		telemetry.Counter("hub_database_shared_calls_total", "Calls that shared a database statement.",
			func(s stats) uint64 { return s.calls }, "statement", statement),
	)
}
