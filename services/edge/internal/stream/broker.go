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
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/bus"
)

// fanOutFrom is the number of events in a frame from which several goroutines write.
const fanOutFrom = 32

// minResumeMemory is what a few seconds of a busy edge take.
const minResumeMemory = 1 << 20

// Source is where events come from.
type Source interface {
	// Subscribe calls h from now on until the returned cancel is called. When cancel returns, no
	// function of h is running and none will be called again.
	Subscribe(h Handler) (cancel func())
}

// Handler is what hears a Source, one call at a time. No function may block.
type Handler struct {
	// Frame gets every frame once for each stream that it is for. The events must neither be kept nor
	// changed.
	Frame func(f bus.Frame, a Arrival)
	// Gap is called when frames were missed that may come late, up to the next Whole or Lost, and tells
	// the era of the streams that begin from now on.
	Gap func(era uint32)
	// Whole is called when nothing is missing any more.
	Whole func()
	// Lost is called when frames were missed that will never come.
	Lost func()
}

// Arrival says how a frame came, and for whom it is.
//
// An era begins whenever hearing has begun, at the start and after a break; the first one is 1, and
// streams that began before it are of the era 0. A stream hears whatever is announced in its era, so
// that only streams of earlier ones need what is caught up: it happened before the others began, and
// their clients look for themselves then.
type Arrival struct {
	// Late tells that the frame makes up for a gap and may come out of its order.
	Late bool
	// From is the first era, and To the era behind the last one, of the streams that the frame is for.
	// Unless From is 0, those of earlier eras have it already.
	From, To uint32
}

// Forever is behind every era.
const Forever = math.MaxUint32

// Deps is what a Broker is made of.
type Deps struct {
	// Events is heard from New until Shutdown. Required.
	Events Source
	// Inbox is asked for clients whose last event is not known any more; nil when nobody can tell.
	Inbox Inbox
	// Claims keeps one stream per user across replicas; nil when there is one replica.
	Claims Claims
	// ResumeWindow is for how long events are kept for clients that come back; more than 0.
	ResumeWindow time.Duration
	// ResumeMemory bounds the bytes that are kept for them; at least 1 MiB.
	ResumeMemory int
	// CloseAtExpiry ends a stream when the token expires with which it was asked for.
	CloseAtExpiry bool
	// Heartbeat is the interval of heartbeats; more than 0 (contract: 15 s by default).
	Heartbeat time.Duration
	// MaxStreams is how many users may have a stream here; at least 1.
	MaxStreams int
	// MaxReplacements is how often a user's stream may be replaced within two minutes; 0 is no limit,
	// as the contract has it.
	MaxReplacements int
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
	if d.MaxReplacements < 0 || d.MaxReplacements >= maxPast {
		faults = append(faults, fmt.Errorf("stream: replacements can be limited to 1 to %d", maxPast-1))
	}
	if d.DrainSpread < 0 {
		faults = append(faults, errors.New("stream: the spread of a drain must not be negative"))
	}
	if d.ResumeWindow <= 0 {
		faults = append(faults, errors.New("stream: the time to resume in must be more than 0"))
	}
	if d.ResumeMemory < minResumeMemory {
		faults = append(faults, errors.New("stream: the memory for resumes must be at least 1 MiB"))
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
	ring        *ring
	hints       hints
	claims      claimer
	draining    atomic.Bool
	era         atomic.Uint32
	running     sync.WaitGroup // one for each stream's goroutine
	unsubscribe func()

	claimsAway, hintsFailing                      atomic.Bool
	replaced, refused, slow, delivered, unsafeIDs atomic.Uint64
	resumed, unknown, replayed                    atomic.Uint64
	replacedElsewhere, claimsFailed, expired      atomic.Uint64
}

// Stats are what holds now, and counts since New.
type Stats struct {
	// Open is the number of users with a stream, Max the most that there may be.
	Open, Max int
	// Replaced counts streams that ended because their user connected again, here or elsewhere.
	Replaced, ReplacedElsewhere uint64
	// ClaimsFailed counts streams that began without the other replicas hearing of it at once.
	ClaimsFailed uint64
	// Refused counts connections over MaxStreams or MaxReplacements, or after Shutdown began.
	Refused uint64
	// SlowClosed counts streams that ended because their client read too slowly.
	SlowClosed uint64
	// Expired counts streams that ended with their token.
	Expired uint64
	// Delivered counts events that were written to a stream or queued for it when they were heard;
	// no heartbeats.
	Delivered uint64
	// UnsafeIDs counts delivered events whose id cannot stand in an "id:" line and was left out.
	UnsafeIDs uint64
	// Resumed and Unknown count clients that came back with an id that was known here, or not.
	Resumed, Unknown uint64
	// Replayed counts events that were sent to clients that came back.
	Replayed uint64
	// RingBytes is the memory of the events that are kept for them.
	RingBytes int
}

// New makes a broker that hears events from now on. Run does what takes time, Shutdown ends it.
func New(d Deps) (*Broker, error) {
	if err := d.complete(); err != nil {
		return nil, err
	}
	b := &Broker{
		deps:    d,
		workers: runtime.GOMAXPROCS(0),
		ring:    newRing(d.ResumeWindow, d.ResumeMemory, d.Clock),
	}
	b.streams.init()
	b.hints.init()
	b.claims.init()
	stop := []func(){d.Events.Subscribe(Handler{
		Frame: b.deliver,
		Gap:   b.gap,
		Whole: b.ring.mend,
		Lost:  b.ring.forget,
	})}
	if d.Claims != nil {
		stop = append(stop, d.Claims.Subscribe(b.heardClaim))
	}
	b.unsubscribe = sync.OnceFunc(func() {
		for _, cancel := range stop {
			cancel()
		}
	})
	return b, nil
}

// Stats reads the counters.
func (b *Broker) Stats() Stats {
	return Stats{
		Open:              int(b.streams.open.Load()),
		Max:               b.deps.MaxStreams,
		Replaced:          b.replaced.Load(),
		ReplacedElsewhere: b.replacedElsewhere.Load(),
		ClaimsFailed:      b.claimsFailed.Load(),
		Refused:           b.refused.Load(),
		SlowClosed:        b.slow.Load(),
		Expired:           b.expired.Load(),
		Delivered:         b.delivered.Load(),
		UnsafeIDs:         b.unsafeIDs.Load(),
		Resumed:           b.resumed.Load(),
		Unknown:           b.unknown.Load(),
		Replayed:          b.replayed.Load(),
		RingBytes:         b.ring.tidy(),
	}
}

// Run sends heartbeats to all streams, asks for the newest records of clients that came back too
// late, and settles with the other replicas who has a user's stream, until ctx ends. Streams that
// are open then go on without.
func (b *Broker) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() { b.beat(ctx) })
	if b.deps.Inbox != nil {
		parts.Go(func() { b.runHints(ctx) })
	}
	if b.deps.Claims != nil {
		parts.Go(func() { b.runClaims(ctx) })
	}
	parts.Wait()
	return nil
}

func (b *Broker) beat(ctx context.Context) {
	tick := time.NewTicker(b.deps.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			var c chunk
			frame := c.end(appendHeartbeat(c.begin(), b.deps.Clock()))
			b.parallel(b.workers, func(worker int) { b.streams.beat(frame, worker, b.workers) })
			b.ring.tidy()
		case <-ctx.Done():
			return
		}
	}
}

func (b *Broker) gap(era uint32) {
	b.era.Store(era)
	b.ring.breakUp()
}

// deliver keeps a frame for clients that come back and writes each event to the stream of its user,
// if that is here and the frame is for it. It waits for no client.
func (b *Broker) deliver(f bus.Frame, a Arrival) {
	var place uint64
	if a.From == 0 || !a.Late {
		// A frame that was listed before it is heard is kept a second time: a stream that counts on hearing
		// may have got later ones meanwhile, behind which its client looks when it comes back.
		place = b.ring.add(f.Events, a.Late)
	} else {
		place = b.ring.end() // it is there already
	}
	if len(f.Events) < fanOutFrom || b.workers == 1 {
		b.write(f.Events, a, place, 0, 1)
		return
	}
	b.parallel(b.workers, func(worker int) { b.write(f.Events, a, place, worker, b.workers) })
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

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// write handles the events of one worker's users: all events of a user are one worker's, which keeps
// their order.
func (b *Broker) write(events []bus.Event, a Arrival, place uint64, worker, workers int) {
	c := chunks.Get().(*chunk)
	defer chunks.Put(c)
	var delivered, unsafeIDs uint64
	for i := range events {
		e := &events[i]
		n := b.streams.shardOf(e.User)
		if n%workers != worker || eventName(e.Kind) == "" {
			continue
		}
		s := b.streams.get(n, e.User)
		if s == nil || s.era < a.From || s.era >= a.To {
			continue
		}
		text, clean := appendEvent(c.begin(), e)
		if s.deliver(c.end(text), place) {
			delivered++
			if !clean {
				unsafeIDs++
			}
		}
	}
	b.delivered.Add(delivered)
	b.unsafeIDs.Add(unsafeIDs)
}
