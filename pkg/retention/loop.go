package retention

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/telemetry"
)

const (
	// batchUsers and batchRows make a batch of some ten milliseconds. What waits for a row that is being
	// removed waits for no longer.
	batchUsers, batchRows = 200, 1000
	// Between batches the database has minPause for others, and at least restShare times as long as
	// the batch took: a busy database is asked for less. A pass that should have ended by now, or nearly
	// so, rests for lateShare times as long: it must get on, or the tables grow for ever.
	minPause             = 20 * time.Millisecond
	restShare, lateShare = 4, 1
	// firstWait spreads the first passes of replicas that start together.
	firstWait = time.Minute
	// interval is from the beginning of a pass to the next one, which comes at once when that is over.
	interval = time.Hour
	// lateFrom is how long a pass may take before it is late.
	lateFrom = interval / 2
	// retryWait is the pause after a batch that failed.
	retryWait = time.Minute
)

// Deps are what a Loop works with.
type Deps struct {
	// Area names what is removed, in the log and as a label of the metrics.
	Area  string
	Store Store
	// Keep is for how long entries stay after their last change; 0 removes nothing.
	Keep Age
	// Clock is time.Now when nil.
	Clock func() time.Time
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
}

// Loop removes old entries of one area, in one pass over all users after the other.
type Loop struct {
	deps Deps

	removed, faults atomic.Uint64
	finished        atomic.Int64 // when the last pass came to its end, in seconds since 1970; 0 is never
	reached         atomic.Int64 // when the last pass that came to its end began, in seconds since 1970

	// Only Run's goroutine uses the rest.
	at      Batch     // where the pass is
	due     time.Time // when it should have begun
	failing bool      // and logged
}

// Stats are the counts since New.
type Stats struct {
	// Removed counts entries.
	Removed uint64
	// Errors counts batches that failed.
	Errors uint64
	// Finished is when a pass last came to its end, in seconds since 1970; 0 is never.
	Finished int64
	// Keep is the setting.
	Keep Age
	// Overdue is by how much the oldest entry that should be gone may be over its age: the time since the
	// last finished pass began, or this process did. Other processes may know better.
	Overdue time.Duration
}

// New makes a loop.
func New(d Deps) *Loop {
	if d.Clock == nil {
		d.Clock = time.Now
	}
	d.Logger = cmp.Or(d.Logger, slog.Default())
	l := &Loop{deps: d, at: Batch{Users: batchUsers, Rows: batchRows}}
	l.reached.Store(d.Clock().Unix())
	return l
}

// Run works until ctx ends; the batch that is under way is finished. It goes on while the database is
// away, and returns nil. Several processes may run it on one database.
func (l *Loop) Run(ctx context.Context) error {
	if l.deps.Keep == 0 {
		<-ctx.Done()
		return nil
	}
	wait := rand.N(firstWait)
	l.due = time.Now().Add(wait)
	for lifecycle.Sleep(ctx, wait) {
		wait = l.batch(ctx)
	}
	return nil
}

// batch does the next batch of a pass and tells how long to wait.
func (l *Loop) batch(ctx context.Context) (wait time.Duration) {
	if l.at.After == "" {
		l.at.Before = l.deps.Clock().Add(-time.Duration(l.deps.Keep))
	}
	began := time.Now()
	r, err := l.deps.Store.RemoveOld(context.WithoutCancel(ctx), l.at)
	l.note(ctx, err)
	if err != nil {
		// It may have been too much for its time.
		l.at.Users, l.at.Rows = max(l.at.Users/2, 1), max(l.at.Rows/2, 1)
		return retryWait
	}
	l.at.Users, l.at.Rows = batchUsers, batchRows
	l.removed.Add(uint64(r.Removed))
	switch {
	case r.Busy:
		// Whoever is at it finishes the pass.
		l.at.After, l.due = "", time.Now().Add(interval)
		return interval + rand.N(firstWait)
	case r.Done:
		l.finished.Store(l.deps.Clock().Unix())
		l.reached.Store(l.at.Before.Add(time.Duration(l.deps.Keep)).Unix())
		l.at.After = ""
		// A pass that is late from the beginning makes up for it, but not for days.
		l.due = l.due.Add(interval)
		if earliest := time.Now().Add(-interval); l.due.Before(earliest) {
			l.due = earliest
		}
		return max(0, time.Until(l.due)) + rand.N(firstWait)
	}
	l.at.After = r.Next
	took, rest := time.Since(began), time.Duration(restShare)
	if time.Since(l.due) > lateFrom {
		rest = lateShare
	}
	return max(minPause, rest*took)
}

// note counts an error and logs the first one of a row of them.
func (l *Loop) note(ctx context.Context, err error) {
	area := slog.String("area", l.deps.Area)
	switch {
	case err != nil && ctx.Err() != nil: // the store may be closing
		return
	case err == nil && l.failing:
		l.deps.Logger.InfoContext(ctx, "old entries are removed again", area)
	case err != nil && !l.failing:
		l.deps.Logger.WarnContext(ctx, "old entries are not removed", area, slog.Any("error", err))
	}
	l.failing = err != nil
	if err != nil {
		l.faults.Add(1)
	}
}

// Stats reads the counters.
func (l *Loop) Stats() Stats {
	s := Stats{Removed: l.removed.Load(), Errors: l.faults.Load(), Finished: l.finished.Load(), Keep: l.deps.Keep}
	if s.Keep != 0 {
		s.Overdue = l.deps.Clock().Sub(time.Unix(l.reached.Load(), 0)).Truncate(time.Second)
	}
	return s
}

// Measure adds the metrics of the loop.
func (l *Loop) Measure(r *telemetry.Registry) {
	telemetry.Read(
		r, l.Stats,
		telemetry.Counter("hub_retention_removed_total", "Old entries that were removed: todos, inbox records, rows of sessions.",
			func(s Stats) uint64 { return s.Removed }, "area", l.deps.Area),
		telemetry.Counter("hub_retention_errors_total", "Attempts to remove old entries that failed.",
			func(s Stats) uint64 { return s.Errors }, "area", l.deps.Area),
		telemetry.Gauge("hub_retention_last_success_timestamp_seconds", "When this process last finished a search for old entries; 0 is never.",
			func(s Stats) int64 { return s.Finished }, "area", l.deps.Area),
		telemetry.Gauge("hub_retention_overdue_seconds", "By how much the oldest entry that should be gone may be over its age, as far as this process knows.",
			func(s Stats) float64 { return s.Overdue.Seconds() }, "area", l.deps.Area),
		telemetry.Gauge("hub_retention_keep_seconds", "For how long entries are kept; 0 is for ever.",
			func(s Stats) float64 { return time.Duration(s.Keep).Seconds() }, "area", l.deps.Area),
	)
}
