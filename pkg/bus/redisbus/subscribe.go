package redisbus

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/hub/pkg/bus"
)

// The pause before a lost subscription is replaced doubles between these while Redis stays away.
const (
	minPause = 50 * time.Millisecond
	maxPause = 2 * time.Second
)

var errSilent = errors.New("heard nothing, not even a probe")

// subscription reads the channel for one handler, over one connection at a time.
type subscription struct {
	bus    *Bus
	handle bus.Handler
	cancel context.CancelFunc
	ended  chan struct{}

	standing  atomic.Bool
	heardAt   atomic.Int64  // nanoseconds after bus.started
	confirmed chan struct{} // closed when the subscription stands for the first time

	// Only run's goroutine uses the rest.
	events []bus.Event // reused for every frame
	lost   bool        // and logged
	pause  time.Duration
}

// Subscribe implements bus.Subscriber. It returns when Redis has confirmed the subscription; while
// Redis is away it returns after Deps.Timeout, and the subscription is made later.
func (b *Bus) Subscribe(h bus.Handler) (cancel func()) {
	ctx, stop := context.WithCancel(context.Background())
	s := &subscription{
		bus:       b,
		handle:    h,
		cancel:    stop,
		ended:     make(chan struct{}),
		confirmed: make(chan struct{}),
		pause:     minPause,
	}
	s.touch()
	if !b.add(s) {
		stop()
		return stop
	}
	go s.run(ctx)

	late := time.NewTimer(b.deps.Timeout)
	defer late.Stop()
	select {
	case <-s.confirmed:
	case <-s.ended:
	case <-late.C:
	}
	return func() {
		b.remove(s)
		s.stop()
	}
}

// add keeps s for Close, unless the bus is closed.
func (b *Bus) add(s *subscription) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.subs[s] = struct{}{}
	return true
}

func (b *Bus) remove(s *subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.subs, s)
}

// stop ends the subscription; no function of its handler is running when it returns.
func (s *subscription) stop() {
	s.cancel()
	<-s.ended
}

func (s *subscription) touch() { s.heardAt.Store(int64(time.Since(s.bus.started))) }

func (s *subscription) silentFor() time.Duration {
	return time.Since(s.bus.started) - time.Duration(s.heardAt.Load())
}

// run holds the subscription until ctx ends, over as many connections as it takes.
func (s *subscription) run(ctx context.Context) {
	defer close(s.ended)
	for {
		err := s.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if s.standing.Swap(false) {
			s.bus.stats.replaced.Add(1)
		}
		if !s.lost {
			s.lost = true
			s.bus.deps.Logger.WarnContext(ctx, "events are not heard", slog.Any("error", err))
		}
		// Jitter keeps the replicas from coming back all at once.
		if !sleep(ctx, s.pause/2+rand.N(s.pause)) {
			return
		}
		s.pause = min(2*s.pause, maxPause)
	}
}

// session subscribes on a new connection and hears it until it fails or falls silent. A read that
// runs into its deadline may stop inside a frame, so the connection is never read again after one.
func (s *subscription) session(ctx context.Context) error {
	ps := s.bus.deps.Client.Subscribe(ctx)
	hangUp := sync.OnceFunc(func() { _ = ps.Close() })
	defer hangUp()
	// A blocked read does not heed ctx.
	defer context.AfterFunc(ctx, hangUp)()
	if err := s.subscribe(ctx, ps); err != nil {
		return err
	}
	for {
		msg, err := ps.ReceiveTimeout(ctx, s.bus.deps.Silence)
		if err != nil {
			if ne := net.Error(nil); errors.As(err, &ne) && ne.Timeout() {
				return errSilent
			}
			return err
		}
		s.touch()
		switch msg := msg.(type) {
		case *redis.Subscription:
			s.stand(ctx)
		case *redis.Message:
			s.hear(msg.Payload)
		}
	}
}

// subscribe connects and asks for the channel; Redis confirms it with a message.
func (s *subscription) subscribe(ctx context.Context, ps *redis.PubSub) error {
	ctx, cancel := context.WithTimeout(ctx, s.bus.deps.Timeout)
	defer cancel()
	return ps.Subscribe(ctx, s.bus.channel)
}

// stand notes that Redis confirmed the subscription of a session. From here on everything is heard;
// what was published before may have been missed.
func (s *subscription) stand(ctx context.Context) {
	s.standing.Store(true)
	s.pause = minPause
	if s.handle.Gap != nil {
		s.handle.Gap()
	}
	select {
	case <-s.confirmed:
	default:
		close(s.confirmed)
	}
	if s.lost {
		s.lost = false
		s.bus.deps.Logger.InfoContext(ctx, "events are heard again")
	}
}

// hear hands a frame over, unless it is a probe or has only events that this version does not know.
func (s *subscription) hear(encoded string) {
	f, skipped, err := decode(s.events[:0], encoded)
	if err != nil {
		s.bus.stats.badFrames.Add(1)
		return
	}
	s.events = f.Events
	s.bus.stats.skipped.Add(uint64(skipped))
	s.bus.stats.heard.Add(uint64(len(f.Events)))
	if len(f.Events) > 0 || !f.Position.IsZero() || !f.Fence.IsZero() {
		s.handle.Frame(f)
	}
}

// sleep waits for d; it is false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
