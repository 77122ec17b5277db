// Package socket tells users over WebSockets what package stream tells them over event streams, and how
// many messages they have not read.
//
// A Broker keeps the sockets of each user. The protocol is github.com/coder/websocket's, over connections
// of package conn, which never wait for their client: so whoever hears the bus may write to all sockets,
// and a socket costs one goroutine, which reads.
package socket

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/services/edge/internal/life"
	"example.com/hub/services/edge/internal/stream"
)

// Deps is what a Broker is made of.
type Deps struct {
	// Events is heard from New until Shutdown. Required.
	Events stream.Source
	// Counts are the unread records of users. Required.
	Counts Counts
	// Sessions are those of users who open sockets with a cookie, and OwnOrigin tells whether a request
	// comes from a page of Hub's own. Both are nil where nobody logs in.
	Sessions  life.Sessions
	OwnOrigin func(origin []string) bool
	// CloseAtExpiry ends a client's socket when the token expires with which it was opened, as a user's
	// always does.
	CloseAtExpiry bool
	// Heartbeat is the interval of pings; more than 0.
	Heartbeat time.Duration
	// MaxSockets is how many sockets there may be, and PerUser how many of one user; at least 1.
	MaxSockets, PerUser int
	// DrainSpread is over how long Shutdown spreads the closing of sockets; 0 closes them at once.
	DrainSpread time.Duration
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
	// Clock is time.Now when nil.
	Clock func() time.Time
}

func (d *Deps) complete() error {
	var faults []error
	if d.Events == nil || d.Counts == nil {
		faults = append(faults, errors.New("socket: a required dependency is missing"))
	}
	if d.Heartbeat <= 0 {
		faults = append(faults, errors.New("socket: the interval of pings must be more than 0"))
	}
	if d.MaxSockets < 1 || d.PerUser < 1 {
		faults = append(faults, errors.New("socket: at least one socket must be allowed"))
	}
	if d.DrainSpread < 0 {
		faults = append(faults, errors.New("socket: the spread of a drain must not be negative"))
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	return errors.Join(faults...)
}

// Broker holds the sockets of one edge, brings them the bus's events and tells them their counts.
type Broker struct {
	deps        Deps
	users       users
	counter     *counter
	missed      chan struct{} // events of todos; capacity 1
	epoch       atomic.Uint32
	unsubscribe func()

	refused atomic.Uint64
	sent    [Kinds]atomic.Uint64
	closed  [Endings]atomic.Uint64
}

// Stats are what holds now, and counts since New.
type Stats struct {
	// Open is the number of sockets, Max the most that there may be.
	Open, Max int
	// Refused counts handshakes over MaxSockets or after Shutdown began.
	Refused uint64
	// Sent counts messages, by their kind, and Closed sockets that ended, by how.
	Sent   [Kinds]uint64
	Closed [Endings]uint64
	// Asked counts users whose unread records were asked for, and Failed those of calls that failed.
	Asked, Failed uint64
}

// New makes a broker that hears events from now on. Run does what takes time, Shutdown ends it.
func New(d Deps) (*Broker, error) {
	if err := d.complete(); err != nil {
		return nil, err
	}
	b := &Broker{deps: d, missed: make(chan struct{}, 1)}
	b.users.init()
	b.counter = newCounter(&b.users, &b.deps, b.told)
	b.unsubscribe = sync.OnceFunc(d.Events.Subscribe(stream.Handler{
		Frame:     b.deliver,
		Gap:       b.gap,
		Whole:     func() {},
		Lost:      b.counter.all,
		LookAgain: b.lookAgain,
	}))
	if d.Sessions != nil {
		d.Sessions.Watch(b.logout)
	}
	return b, nil
}

// Stats reads the counters.
func (b *Broker) Stats() Stats {
	s := Stats{
		Open:    int(b.users.open.Load()),
		Max:     b.deps.MaxSockets,
		Refused: b.refused.Load(),
		Asked:   b.counter.asked.Load(),
		Failed:  b.counter.failed.Load(),
	}
	for i := range s.Sent {
		s.Sent[i] = b.sent[i].Load()
	}
	for i := range s.Closed {
		s.Closed[i] = b.closed[i].Load()
	}
	return s
}

// Run pings all sockets, asks for the counts that their users wait for, has them look for todos again after
// gaps, and asks whether users' sessions still live, until ctx ends. Sockets that are open then go on
// without.
func (b *Broker) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() { b.beat(ctx) })
	parts.Go(func() { b.counter.run(ctx) })
	parts.Go(func() { b.look(ctx) })
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
			for _, s := range b.users.all() {
				s.beat()
			}
		case <-ctx.Done():
			return
		}
	}
}

// Shutdown refuses new sockets and closes the present ones over DrainSpread. It returns when all have ended.
// When ctx ends first, it closes what is left at once and gives ctx's error.
func (b *Broker) Shutdown(ctx context.Context) error {
	defer b.unsubscribe()
	all := b.users.drain()
	b.deps.Logger.InfoContext(ctx, "closing sockets",
		slog.Int("sockets", len(all)), slog.Int64("spread_ms", b.deps.DrainSpread.Milliseconds()))
	life.Spread(ctx, len(all), b.deps.DrainSpread, func(i int) { all[i].end(drained) })

	ended := make(chan struct{})
	go func() {
		b.users.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		for _, s := range b.users.all() {
			s.link.out.Close()
		}
		<-ended
		return ctx.Err()
	}
}
