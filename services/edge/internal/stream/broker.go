// Package stream is the contract's server-sent-events stream: one connection per user, which hears
// that something changed and carries no list data.
//
// A Broker keeps the one stream of each user in its registry, and what a stream is carried by behind
// Transport: package conn today. Events for clients that come back are in package ring, and their text is
// made by package sse.
package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/services/edge/internal/conn"
	"example.com/hub/services/edge/internal/life"
	"example.com/hub/services/edge/internal/ring"
	"example.com/hub/services/edge/internal/sse"
)

// minResumeMemory is what a few seconds of a busy edge take.
const minResumeMemory = 1 << 20

// Deps is what a Broker is made of.
type Deps struct {
	// Events is heard from New until Shutdown. Required.
	Events Source
	// Inbox is asked for clients whose last event is not known any more; nil when nobody can tell.
	Inbox Inbox
	// Claims keeps one stream per user across replicas; nil when there is one replica.
	Claims Claims
	// Sessions are those of users who read their streams with a cookie; nil where there are none.
	Sessions life.Sessions
	// ResumeWindow is for how long events are kept for clients that come back; more than 0.
	ResumeWindow time.Duration
	// ResumeMemory bounds the bytes that are kept for them; at least 1 MiB.
	ResumeMemory int
	// CloseAtExpiry ends a client's stream when the token expires with which it was asked for, as a user's
	// always does.
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
	registry    registry
	ring        *ring.Ring
	hints       *hinter
	claims      *claimer
	looks       *looker
	draining    atomic.Bool
	epoch       atomic.Uint32
	running     sync.WaitGroup // one for each stream, until its connection has ended
	poller      conn.Poller
	unsubscribe func()

	replaced, refused, slow, expired atomic.Uint64
	loggedOut                        atomic.Uint64
	delivered, unsafeIDs             atomic.Uint64
	resumed, unknown, replayed       atomic.Uint64
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
	// LoggedOut counts streams that ended with their user's session.
	LoggedOut uint64
	// Delivered counts events that were written to a stream or queued for it when they were heard;
	// no heartbeats.
	Delivered uint64
	// UnsafeIDs counts delivered events whose id cannot stand in an "id:" line and was left out.
	UnsafeIDs uint64
	// Resumed and Unknown count clients that came back with an id that was known here, or not.
	Resumed, Unknown uint64
	// Replayed counts events that were sent to clients that came back.
	Replayed uint64
	// LookAgain counts streams that were told to look for all todos of their user, since events may have been
	// missed; not those of clients that came back.
	LookAgain uint64
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
		ring:    ring.New(d.ResumeWindow, d.ResumeMemory, d.Clock),
	}
	b.registry.init()
	b.hints = newHinter(b.ring, &b.deps)
	b.claims = newClaimer(&b.registry, &b.deps)
	b.looks = newLooker(&b.registry, &b.deps)
	stop := []func(){d.Events.Subscribe(Handler{
		Frame:     b.deliver,
		Gap:       b.gap,
		Whole:     b.ring.Mend,
		Lost:      b.ring.Forget,
		LookAgain: b.looks.again,
	})}
	if d.Claims != nil {
		stop = append(stop, d.Claims.Subscribe(b.claims.heard))
	}
	if d.Sessions != nil {
		d.Sessions.Watch(b.logout)
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
		Open:              int(b.registry.open.Load()),
		Max:               b.deps.MaxStreams,
		Replaced:          b.replaced.Load(),
		ReplacedElsewhere: b.claims.yielded.Load(),
		ClaimsFailed:      b.claims.failed.Load(),
		Refused:           b.refused.Load(),
		SlowClosed:        b.slow.Load(),
		Expired:           b.expired.Load(),
		LoggedOut:         b.loggedOut.Load(),
		Delivered:         b.delivered.Load(),
		UnsafeIDs:         b.unsafeIDs.Load(),
		Resumed:           b.resumed.Load(),
		Unknown:           b.unknown.Load(),
		Replayed:          b.replayed.Load(),
		LookAgain:         b.looks.told.Load(),
		RingBytes:         b.ring.Tidy(),
	}
}

// Run sends heartbeats to all streams, has those with todos look again after gaps, asks for the newest records of clients that came back too
// late, settles with the other replicas who has a user's stream, and asks whether users' sessions still
// live, until ctx ends. Streams that are open then go on without.
func (b *Broker) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() { b.beat(ctx) })
	parts.Go(func() { b.looks.run(ctx) })
	if b.deps.Inbox != nil {
		parts.Go(func() { b.hints.run(ctx) })
	}
	if b.deps.Claims != nil {
		parts.Go(func() { b.claims.run(ctx) })
	}
	if b.deps.Sessions != nil {
		parts.Go(func() { b.visits().Run(ctx) })
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
			var f sse.Frame
			f.Heartbeat(b.deps.Clock())
			b.parallel(b.workers, func(worker int) { b.registry.beat(&f, worker, b.workers) })
			b.ring.Tidy()
		case <-ctx.Done():
			return
		}
	}
}

func (b *Broker) gap(epoch uint32) {
	b.epoch.Store(epoch)
	b.ring.Break()
}
