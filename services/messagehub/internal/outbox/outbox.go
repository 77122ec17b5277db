package outbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/bus"
)

// Deps is what an Outbox is made of. Fields left at zero take the value that their comment names.
type Deps struct {
	// Log is nil when the process shares its crash with everybody who listens: then there is nothing
	// to sweep or to list.
	Log Log
	// Publisher is needed.
	Publisher bus.Publisher
	// Subscriber is needed with a Log. It must hear what Publisher announces.
	Subscriber bus.Subscriber
	// Logger is slog.Default().
	Logger *slog.Logger
	// Interval is the time from sweep to sweep, and from watermark to watermark; 1 s.
	Interval time.Duration
	// Lease is how long the others wait for a process that died; 2.5 s. With the interval and the time
	// of a restart, what a dead process did not announce is announced within 3 s.
	Lease time.Duration
	// Patience is how old a row must be before it is missed, and how long the sweep waits to hear of
	// what it announced; 1 s.
	Patience time.Duration
	// Retention is how long rows are kept for listeners that catch up; 1 h.
	Retention time.Duration
}

// Outbox announces changes, sweeps up what was not announced, and lists what a listener missed. It is
// safe for concurrent use.
type Outbox struct {
	deps  Deps
	id    string
	heard *heard

	announced, swept, faults, removed atomic.Uint64
	leading                           atomic.Bool
	oldest                            atomic.Int64 // when the oldest unsettled row was written, in ns since 1970; 0 is none
	due                               atomic.Int64 // rows that were old by then are gone, in ns since 1970
	bytes                             atomic.Int64 // what the log takes on the disk

	// Only Run's goroutine uses the rest.
	settled bus.Position // every row up to here was heard on the bus
	trimmed bus.Position // no row up to here is left
	deaf    bool         // the last sweep did not hear what it announced
	failing bool         // and logged
}

// Stats are the counts since New, and what holds now.
type Stats struct {
	// Announced counts changes that were announced right after their commit by this process.
	Announced uint64
	// Swept counts the announcements of changes that nobody had heard of.
	Swept uint64
	// Repeated counts changes that were heard again on the bus.
	Repeated uint64
	// Errors counts sweeps that failed.
	Errors uint64
	// Leader tells whether this process sweeps.
	Leader bool
	// WatermarkLag is the age of the oldest change that is not known to be heard and final, at the leader;
	// 0 when there is none. It grows while the bus is away, and while any transaction of the database
	// server that writes stays open.
	WatermarkLag time.Duration
	// Removed counts the old rows that were deleted from the log.
	Removed uint64
	// TrimLag is by how much the oldest row of the log may be over its time, at the leader.
	TrimLag time.Duration
	// LogBytes is what the log takes on the disk, at the leader.
	LogBytes int64
}

var _ bus.Publisher = (*Outbox)(nil)

// New makes an Outbox.
func New(d Deps) (*Outbox, error) {
	if d.Publisher == nil || d.Log != nil && d.Subscriber == nil {
		return nil, errors.New("outbox: a publisher is needed, and a subscriber with a log")
	}
	d.Logger = cmp.Or(d.Logger, slog.Default())
	d.Interval = cmp.Or(d.Interval, time.Second)
	d.Lease = cmp.Or(d.Lease, 2500*time.Millisecond)
	d.Patience = cmp.Or(d.Patience, time.Second)
	d.Retention = cmp.Or(d.Retention, time.Hour)
	if d.Lease <= d.Interval {
		return nil, errors.New("outbox: the lease must be longer than the interval, which renews it")
	}
	return &Outbox{deps: d, id: rand.Text(), heard: newHeard()}, nil
}

// Publish announces a change after its commit. What the bus drops, because it is away or cannot keep
// up, is swept up later.
func (o *Outbox) Publish(ctx context.Context, f bus.Frame) {
	o.announced.Add(1)
	o.deps.Publisher.Publish(ctx, f)
}

// Stats reads the counters.
func (o *Outbox) Stats() Stats {
	s := Stats{
		Announced: o.announced.Load(),
		Swept:     o.swept.Load(),
		Repeated:  o.heard.repeats(),
		Errors:    o.faults.Load(),
		Leader:    o.leading.Load(),
		Removed:   o.removed.Load(),
	}
	if !s.Leader {
		return s
	}
	if oldest := o.oldest.Load(); oldest != 0 {
		s.WatermarkLag = time.Since(time.Unix(0, oldest))
	}
	s.TrimLag, s.LogBytes = o.trimLag(s.WatermarkLag), o.bytes.Load()
	return s
}
