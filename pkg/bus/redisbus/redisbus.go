// Package redisbus is the event bus between machines: one Redis pub/sub channel that every edge
// hears, with frames of many events.
//
// Redis delivers at most once and its client never notices a half-open link, so the bus probes its
// own channel and replaces a subscription that hears nothing. What was published meanwhile is lost
// to that subscriber, which is told of the gap.
package redisbus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/redis"
	"example.com/hub/pkg/telemetry/tracing"
)

// Deps is what a bus is made of. Fields left at zero take the value that their comment names.
type Deps struct {
	// Client is required and stays the caller's to close. Its own timeouts, not Timeout, bound an
	// exchange unless it heeds context deadlines, as one of package redis does.
	Client redis.Client
	// Name is the first part of the channel's name "NAME:events"; {hub}. Braces keep all of Hub's
	// keys in one slot of a Redis Cluster.
	Name string
	// Logger gets a line when Redis goes away and when it is back; slog.Default().
	Logger *slog.Logger
	// Tracer traces the publications of calls that are traced; nil traces none.
	Tracer *tracing.Tracer
	// Timeout bounds one exchange with Redis, of up to 64 frames; 1 s.
	Timeout time.Duration
	// ProbeInterval is how long a subscription may be quiet before the bus publishes a probe, which
	// nobody is told of; 1 s. While a sender publishes watermarks, they do instead. After a publication that
	// failed there are probes until one is taken.
	ProbeInterval time.Duration
	// Silence is how long a subscription may hear nothing, not even a probe, before its connection
	// is replaced; 5 s.
	Silence time.Duration
	// Interval is the shortest time between two exchanges with Redis, so that frames of no row that come
	// meanwhile go out as one. 0 is right for a sender of large frames.
	Interval time.Duration
	// QueueBytes bounds the memory of frames that wait to be published; 64 MiB.
	QueueBytes int
	// Dropped makes the frame that is published as soon as Redis takes publications again after events were
	// dropped, for a sender without an event log; nil publishes none.
	Dropped func(now time.Time) bus.Frame
}

// Bus publishes to and hears one channel. It is a bus.Publisher and a bus.Subscriber.
type Bus struct {
	deps    Deps
	channel string

	wake    chan struct{} // capacity 1: the queue holds frames
	closing chan struct{}
	closed  chan struct{}
	abort   context.CancelFunc // ends the exchange in progress

	mu    sync.Mutex
	queue []queued
	bytes int // of queued frames and of those that are being published
	ended bool
	subs  map[*redis.Subscription]struct{}

	unreachable atomic.Bool
	owed        atomic.Bool // events were dropped, which nobody was told of
	stats       counters
}

type counters struct {
	published, dropped, heard, badFrames, skipped, replaced atomic.Uint64
}

// Stats are the counts since New, and what holds now.
type Stats struct {
	// Published counts events that Redis took.
	Published uint64
	// Dropped counts events that were not published: the queue was full, Redis did not answer in
	// time, or the event cannot be encoded.
	Dropped uint64
	// Heard counts events that were handed to subscribers.
	Heard uint64
	// BadFrames counts publications of others that are not a frame.
	BadFrames uint64
	// Skipped counts heard events of a kind that this version does not know.
	Skipped uint64
	// Replaced counts subscriptions that were lost or silent; each may have missed events.
	Replaced uint64
	// QueuedBytes is the memory of frames that wait to be published.
	QueuedBytes int
	// Up tells whether Redis took the last publication and every subscription stands.
	Up bool
}

var (
	_ bus.Publisher  = (*Bus)(nil)
	_ bus.Subscriber = (*Bus)(nil)
)

// New starts a bus; Close stops it. Redis need not be there yet.
func New(d Deps) (*Bus, error) {
	if d.Client == nil {
		return nil, errors.New("redisbus: no client")
	}
	d.Name = cmp.Or(d.Name, "{hub}")
	d.Logger = cmp.Or(d.Logger, slog.Default())
	d.Timeout = cmp.Or(d.Timeout, time.Second)
	d.ProbeInterval = cmp.Or(d.ProbeInterval, time.Second)
	d.Silence = cmp.Or(d.Silence, 5*time.Second)
	d.QueueBytes = cmp.Or(d.QueueBytes, 64<<20)
	if d.Silence <= d.ProbeInterval {
		return nil, fmt.Errorf("redisbus: silence of %v is not longer than the probe interval of %v", d.Silence, d.ProbeInterval)
	}
	ctx, abort := context.WithCancel(context.Background())
	b := &Bus{
		deps:    d,
		channel: d.Name + ":events",
		wake:    make(chan struct{}, 1),
		closing: make(chan struct{}),
		closed:  make(chan struct{}),
		abort:   abort,
		subs:    map[*redis.Subscription]struct{}{},
	}
	go b.publishLoop(ctx)
	return b, nil
}

// Stats reads the counters.
func (b *Bus) Stats() Stats {
	b.mu.Lock()
	queued, up := b.bytes, !b.unreachable.Load()
	for s := range b.subs {
		up = up && s.Standing()
	}
	b.mu.Unlock()
	return Stats{
		Published:   b.stats.published.Load(),
		Dropped:     b.stats.dropped.Load(),
		Heard:       b.stats.heard.Load(),
		BadFrames:   b.stats.badFrames.Load(),
		Skipped:     b.stats.skipped.Load(),
		Replaced:    b.stats.replaced.Load(),
		QueuedBytes: queued,
		Up:          up,
	}
}

// Close publishes what is queued and ends all subscriptions. When ctx ends first, what is left is
// dropped, after the exchange in progress. Events that are published after Close are dropped.
func (b *Bus) Close(ctx context.Context) error {
	b.mu.Lock()
	first := !b.ended
	b.ended = true
	b.mu.Unlock()
	if first {
		close(b.closing)
	}

	var err error
	select {
	case <-b.closed:
	case <-ctx.Done():
		err = fmt.Errorf("publish what is queued: %w", ctx.Err())
		b.abort()
		<-b.closed
	}
	b.abort()
	b.mu.Lock()
	subs := b.subs
	b.subs = nil
	b.mu.Unlock()
	for s := range subs {
		s.Close()
	}
	return err
}
