package pg

import (
	"time"

	"example.com/hub/pkg/telemetry"
)

// Stats are what holds now of the pool of calls, and counts since the store was opened.
type Stats struct {
	// InUse, Idle and Max are connections: those of running calls, those that wait for one, and the
	// most that there may be.
	InUse, Idle, Max int
	// Waits counts calls that had to wait for a connection, or for a new one to be made, and got it.
	// WaitTime is how long they waited. Timeouts counts calls that gave up.
	Waits, Timeouts uint64
	WaitTime        time.Duration
	// Heavy are the heavy calls under way, of which there may be HeavyMax; HeavyTimeouts counts those that
	// gave up waiting for their turn.
	Heavy, HeavyMax int
	HeavyTimeouts   uint64
}

// Stats reads the state of the pool of calls.
func (db *DB) Stats() Stats {
	pool := db.calls.Stat()
	return Stats{
		InUse:    int(pool.AcquiredConns()),
		Idle:     int(pool.IdleConns()),
		Max:      int(pool.MaxConns()),
		Waits:    uint64(pool.EmptyAcquireCount()),
		WaitTime: pool.EmptyAcquireWaitTime(),
		Timeouts: db.timeouts.Load(),

		Heavy:         len(db.heavy),
		HeavyMax:      cap(db.heavy),
		HeavyTimeouts: db.heavyTimeouts.Load(),
	}
}

// measure adds the metrics of a pool.
func measure(r *telemetry.Registry, pool func() Stats) {
	const connections, help = "hub_database_connections", "Database connections, by state."
	telemetry.Read(
		r, pool,
		telemetry.Gauge(connections, help, func(s Stats) int { return s.InUse }, "state", "in_use"),
		telemetry.Gauge(connections, help, func(s Stats) int { return s.Idle }, "state", "idle"),
		telemetry.Gauge("hub_database_connections_max", "Most database connections of the process.",
			func(s Stats) int { return s.Max }),
		telemetry.Counter("hub_database_acquire_waits_total", "Calls that waited for a database connection, or for a new one to be made, and got it.",
			func(s Stats) uint64 { return s.Waits }),
		telemetry.Counter("hub_database_acquire_wait_seconds_total", "Time that calls waited for the database connection that they got.",
			func(s Stats) float64 { return s.WaitTime.Seconds() }),
		telemetry.Counter("hub_database_acquire_timeouts_total", "Calls that gave up waiting for a database connection.",
			func(s Stats) uint64 { return s.Timeouts }),
		telemetry.Gauge("hub_database_heavy_calls", "Lists under way whose time grows with what is stored: all but those of a named user in the default order.",
			func(s Stats) int { return s.Heavy }),
		telemetry.Gauge("hub_database_heavy_calls_max", "Most of these lists at a time, half of the database connections.",
			func(s Stats) int { return s.HeavyMax }),
		telemetry.Counter("hub_database_heavy_timeouts_total", "Lists of this kind that gave up waiting for their turn.",
			func(s Stats) uint64 { return s.HeavyTimeouts }),
	)
}
