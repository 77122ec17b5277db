// Package stream is the contract's server-sent-events stream: one connection per user, which hears
// that something changed and carries no list data.
//
// Streams are many and idle, so each costs little: its connection is taken from net/http, whose
// buffers go, and one goroutine with a small stack waits for the client to leave. A write never
// waits for a client; see stream.
package stream

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/bus"
)

// fanOutFrom is the number of events in a frame from which several goroutines write.
const fanOutFrom = 32

// Deps is what a Broker is made of.
type Deps struct {
	// Events is heard from New until Shutdown. Required.
	Events bus.Subscriber
	// Heartbeat is the interval of heartbeats; more than 0 (contract: 15 s by default).
	Heartbeat time.Duration
	// MaxStreams is how many users may have a stream here; at least 1.
	MaxStreams int
	// DrainSpread is over how long Shutdown spreads the closing of streams, so that clients do not
	// all come back at once; 0 closes them at once.
	DrainSpread time.Duration
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
	// Clock is time.Now when nil.
	Clock func() time.Time
}

func (d *Deps) complete() error {
	var faults []error
	if d.Events == nil {
		faults = append(faults, errors.New("stream: no events to hear"))
	}
	if d.Heartbeat <= 0 {
		faults = append(faults, errors.New("stream: the heartbeat interval must be more than 0"))
	}
	if d.MaxStreams < 1 {
		faults = append(faults, errors.New("stream: at least one stream must be allowed"))
	}
	if d.DrainSpread < 0 {
		faults = append(faults, errors.New("stream: the spread of a drain must not be negative"))
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	return errors.Join(faults...)
}

// Broker holds the streams of one edge and brings them the bus's events.
type Broker struct {
	deps        Deps
	workers     int
	streams     streams
	draining    atomic.Bool
	running     sync.WaitGroup // one for each stream's goroutine
	unsubscribe func()

	replaced, refused, slow, delivered, unsafeIDs atomic.Uint64
}

// Stats are what holds now, and counts since New.
type Stats struct {
	// Open is the number of users with a stream.
	Open int
	// Replaced counts streams that ended because their user connected again.
	Replaced uint64
	// Refused counts connections over MaxStreams or after Shutdown began.
	Refused uint64
	// SlowClosed counts streams that ended because their client read too slowly.
	SlowClosed uint64
	// Delivered counts events that were written to a stream or queued for it; no heartbeats.
	Delivered uint64
	// UnsafeIDs counts delivered events whose id cannot stand in an "id:" line and was left out.
	UnsafeIDs uint64
}

// New makes a broker that hears events from now on. Run sends its heartbeats, Shutdown ends it.
func New(d Deps) (*Broker, error) {
	if err := d.complete(); err != nil {
		return nil, err
	}
	b := &Broker{deps: d, workers: runtime.GOMAXPROCS(0)}
	b.streams.init()
	b.unsubscribe = sync.OnceFunc(d.Events.Subscribe(b.Deliver))
	return b, nil
}

// Stats reads the counters.
func (b *Broker) Stats() Stats {
	return Stats{
		Open:       int(b.streams.open.Load()),
		Replaced:   b.replaced.Load(),
		Refused:    b.refused.Load(),
		SlowClosed: b.slow.Load(),
		Delivered:  b.delivered.Load(),
		UnsafeIDs:  b.unsafeIDs.Load(),
	}
}

// Run sends heartbeats to all streams until ctx ends.
func (b *Broker) Run(ctx context.Context) error {
	tick := time.NewTicker(b.deps.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			frame := appendHeartbeat(nil, b.deps.Clock())
			b.parallel(b.workers, func(worker int) { b.streams.beat(frame, worker, b.workers) })
		case <-ctx.Done():
			return nil
		}
	}
}

// Deliver writes each event to the stream of its user, if that is here. It waits for no client. Calls
// must not overlap, or a user's events lose their order.
func (b *Broker) Deliver(events []bus.Event) {
	if len(events) < fanOutFrom || b.workers == 1 {
		b.deliver(events, 0, 1)
		return
	}
	b.parallel(b.workers, func(worker int) { b.deliver(events, worker, b.workers) })
}

// parallel runs part 0 to n-1 at once and waits for all.
func (b *Broker) parallel(n int, part func(worker int)) {
	var wg sync.WaitGroup
	for worker := 1; worker < n; worker++ {
		wg.Go(func() { part(worker) })
	}
	part(0)
	wg.Wait()
}

var frames = sync.Pool{New: func() any { return new([]byte) }}

// deliver handles the events of one worker's users: all events of a user are one worker's, which
// keeps their order.
func (b *Broker) deliver(events []bus.Event, worker, workers int) {
	buf := frames.Get().(*[]byte)
	defer frames.Put(buf)
	var delivered, unsafeIDs uint64
	for i := range events {
		e := &events[i]
		n := b.streams.shardOf(e.User)
		if n%workers != worker || eventName(e.Kind) == "" {
			continue
		}
		s := b.streams.get(n, e.User)
		if s == nil {
			continue
		}
		frame, clean := appendEvent((*buf)[:0], e)
		*buf = frame
		if !clean {
			unsafeIDs++
		}
		if s.send(frame) {
			delivered++
		}
	}
	b.delivered.Add(delivered)
	b.unsafeIDs.Add(unsafeIDs)
}
