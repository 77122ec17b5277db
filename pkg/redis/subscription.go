package redis

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/hub/pkg/lifecycle"
)

// The pause before a lost subscription is replaced doubles between these while Redis stays away.
const (
	minPause = 50 * time.Millisecond
	maxPause = 2 * time.Second
)

var errSilent = errors.New("heard nothing, not even a sign of life")

// SubscriptionDeps is what a Subscription is made of. Its functions are called by one goroutine.
type SubscriptionDeps struct {
	// Client is required and stays the caller's to close.
	Client Client
	// Channel is what is heard.
	Channel string
	// Heard gets each payload.
	Heard func(payload string)
	// Stands is called when Redis has confirmed the subscription, on each connection anew: from then on
	// everything is heard, and what was published before may have been missed. It may be nil.
	Stands func()
	// Lost is called when a subscription that stood has ended. It may be nil.
	Lost func()
	// Timeout bounds connecting and asking for the channel; 0 means 1 s.
	Timeout time.Duration
	// Silence is how long nothing may be heard before the connection is replaced: Redis closes none that
	// a firewall has forgotten. 0 means 5 s.
	Silence time.Duration
	// Ping asks Redis for a sign of life, often enough to get one within Silence. Without it somebody
	// must publish as often.
	Ping bool
	// Logger gets a line when the subscription is lost and when it stands again; nil means
	// slog.Default().
	Logger *slog.Logger
}

// Subscription hears a channel over one connection at a time, and makes a new one when that is lost or
// silent.
type Subscription struct {
	deps    SubscriptionDeps
	started time.Time
	cancel  context.CancelFunc
	ended   chan struct{}

	standing atomic.Bool
	heardAt  atomic.Int64  // nanoseconds after started
	stood    chan struct{} // closed when the subscription stands for the first time

	// Only run's goroutine uses the rest.
	lost  bool // and logged
	pause time.Duration
}

// Subscribe begins to hear; Close ends it. Redis need not be there yet.
func Subscribe(d SubscriptionDeps) *Subscription {
	d.Timeout = cmp.Or(d.Timeout, time.Second)
	d.Silence = cmp.Or(d.Silence, 5*time.Second)
	d.Logger = cmp.Or(d.Logger, slog.Default())
	ctx, cancel := context.WithCancel(context.Background())
	s := &Subscription{
		deps: d, started: time.Now(), cancel: cancel,
		ended: make(chan struct{}), stood: make(chan struct{}), pause: minPause,
	}
	go s.run(ctx)
	return s
}

// Close ends the subscription; none of its functions is running when it returns.
func (s *Subscription) Close() {
	s.cancel()
	<-s.ended
}

// Wait returns when the subscription stands for the first time or is closed, at the latest after d.
func (s *Subscription) Wait(d time.Duration) {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-s.stood:
	case <-s.ended:
	case <-late.C:
	}
}

// Standing tells whether everything is heard that is published now.
func (s *Subscription) Standing() bool { return s.standing.Load() }

// Silent is for how long nothing was heard.
func (s *Subscription) Silent() time.Duration {
	return time.Since(s.started) - time.Duration(s.heardAt.Load())
}

// run holds the subscription until ctx ends, over as many connections as it takes.
func (s *Subscription) run(ctx context.Context) {
	defer close(s.ended)
	for {
		err := s.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if s.standing.Swap(false) && s.deps.Lost != nil {
			s.deps.Lost()
		}
		if !s.lost {
			s.lost = true
			s.deps.Logger.WarnContext(ctx, "channel is not heard", "channel", s.deps.Channel, "error", err)
		}
		// Jitter keeps the replicas from coming back all at once.
		if !lifecycle.Sleep(ctx, s.pause/2+rand.N(s.pause)) {
			return
		}
		s.pause = min(2*s.pause, maxPause)
	}
}

// session hears one connection until it fails or falls silent. A read that runs into its deadline may
// stop inside a reply, so the connection is never read again after one.
func (s *Subscription) session(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	ps := s.deps.Client.Subscribe(ctx)
	var pinging sync.WaitGroup
	defer func() {
		cancel()
		pinging.Wait()
	}()
	hangUp := sync.OnceFunc(func() { _ = ps.Close() })
	defer hangUp()
	// A blocked read does not heed ctx.
	defer context.AfterFunc(ctx, hangUp)()

	if err := s.subscribe(ctx, ps); err != nil {
		return err
	}
	if s.deps.Ping {
		pinging.Go(func() { s.ping(ctx, ps) })
	}
	for {
		msg, err := ps.ReceiveTimeout(ctx, s.deps.Silence)
		if err != nil {
			if ne := net.Error(nil); errors.As(err, &ne) && ne.Timeout() {
				return errSilent
			}
			return err
		}
		s.heardAt.Store(int64(time.Since(s.started)))
		switch msg := msg.(type) {
		case *redis.Subscription:
			s.stand(ctx)
		case *redis.Message:
			s.deps.Heard(msg.Payload)
		}
	}
}

// subscribe connects and asks for the channel; Redis confirms it with a message.
func (s *Subscription) subscribe(ctx context.Context, ps *redis.PubSub) error {
	ctx, cancel := context.WithTimeout(ctx, s.deps.Timeout)
	defer cancel()
	return ps.Subscribe(ctx, s.deps.Channel)
}

func (s *Subscription) stand(ctx context.Context) {
	s.standing.Store(true)
	s.pause = minPause
	if s.deps.Stands != nil {
		s.deps.Stands()
	}
	select {
	case <-s.stood:
	default:
		close(s.stood)
	}
	if s.lost {
		s.lost = false
		s.deps.Logger.InfoContext(ctx, "channel is heard again", "channel", s.deps.Channel)
	}
}

// ping asks for a sign of life; the reader finds out when there is none.
func (s *Subscription) ping(ctx context.Context, ps *redis.PubSub) {
	tick := time.NewTicker(s.deps.Silence * 2 / 5)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = ps.Ping(ctx)
		case <-ctx.Done():
			return
		}
	}
}
