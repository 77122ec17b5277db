package pgcall

import (
	"time"

	"example.com/hub/pkg/telemetry"
)

// PoolStats are what holds now of a store's connection pool, and counts since the store was opened.
type PoolStats struct {
	// InUse, Idle and Max are connections: those of running calls, those that wait for one, and the
	// most that there may be.
	InUse, Idle, Max int
	// Waits counts calls that had to wait for a connection, or for a new one to be made, and got it.
	// WaitTime is how long they waited. Timeouts counts calls that gave up.
	Waits, Timeouts uint64
	WaitTime        time.Duration
}

// Measure adds the metrics of a pool.
func Measure(r *telemetry.Registry, pool func() PoolStats) {
	const connections, help = "hub_database_connections", "Database connections, by state."
	telemetry.Read(
		r, pool,
		telemetry.Gauge(connections, help, func(s PoolStats) int { return s.InUse }, "state", "in_use"),
		telemetry.Gauge(connections, help, func(s PoolStats) int { return s.Idle }, "state", "idle"),
		telemetry.Gauge("hub_database_connections_max", "Most database connections of the process.",
			func(s PoolStats) int { return s.Max }),
		telemetry.Counter("hub_database_acquire_waits_total", "Calls that waited for a database connection, or for a new one to be made, and got it.",
			func(s PoolStats) uint64 { return s.Waits }),
		telemetry.Counter("hub_database_acquire_wait_seconds_total", "Time that calls waited for the database connection that they got.",
			func(s PoolStats) float64 { return s.WaitTime.Seconds() }),
		telemetry.Counter("hub_database_acquire_timeouts_total", "Calls that gave up waiting for a database connection.",
			func(s PoolStats) uint64 { return s.Timeouts }),
	)
}
