// Package membus is the event bus inside one process.
package membus

import (
	"context"
	"slices"
	"sync"

	"example.com/hub/pkg/bus"
)

// maxQueued bounds the events that wait for the subscribers, some 15 MB. A watermark counts as an event.
const maxQueued = 100_000

// Bus hands every published frame to every subscriber, from one goroutine. Nothing is dropped, so
// there are no gaps: while the queue is full, Publish waits, and it never waits long, since a
// subscriber must not block.
type Bus struct {
	stopped chan struct{}

	mu     sync.Mutex
	work   sync.Cond // a frame was queued, or the bus was closed
	space  sync.Cond // the dispatcher took frames, or the bus was closed
	queue  []bus.Frame
	queued int // size of queue
	closed bool
	subs   []*subscription // replaced, never changed in place
}

type subscription struct {
	mu    sync.Mutex // held while frame runs
	frame func(bus.Frame)
}

var (
	_ bus.Publisher  = (*Bus)(nil)
	_ bus.Subscriber = (*Bus)(nil)
)

// New starts a bus; Close stops it.
func New() *Bus {
	b := &Bus{stopped: make(chan struct{})}
	b.work.L, b.space.L = &b.mu, &b.mu
	go b.dispatch()
	return b
}

// Publish queues the frame and waits while the queue is full. A frame larger than the queue is taken
// when the queue is empty. After Close it does nothing.
func (b *Bus) Publish(_ context.Context, f bus.Frame) {
	if len(f.Events) == 0 && f.Watermark.IsZero() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && b.queued > 0 && b.queued+size(f) > maxQueued {
		b.space.Wait()
	}
	if b.closed {
		return
	}
	b.queue = append(b.queue, f)
	b.queued += size(f)
	b.work.Signal()
}

func size(f bus.Frame) int { return max(1, len(f.Events)) }

// Subscribe implements bus.Subscriber.
func (b *Bus) Subscribe(h bus.Handler) (cancel func()) {
	s := &subscription{frame: h.Frame}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs = append(slices.Clone(b.subs), s)
	return func() { b.unsubscribe(s) }
}

func (b *Bus) unsubscribe(s *subscription) {
	b.mu.Lock()
	b.subs = slices.DeleteFunc(slices.Clone(b.subs), func(other *subscription) bool { return other == s })
	b.mu.Unlock()

	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame = nil
}

// Close refuses further frames and waits until the queued ones are delivered, or until ctx ends.
func (b *Bus) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	b.work.Broadcast()
	b.space.Broadcast()
	b.mu.Unlock()

	select {
	case <-b.stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Bus) dispatch() {
	defer close(b.stopped)
	for {
		f, subs, ok := b.next()
		if !ok {
			return
		}
		for part := range f.Split() {
			for _, s := range subs {
				s.deliver(part)
			}
		}
	}
}

// next takes the oldest frame and who is to hear it; ok is false when the bus is closed and drained.
func (b *Bus) next() (f bus.Frame, subs []*subscription, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 {
		if b.closed {
			return bus.Frame{}, nil, false
		}
		b.work.Wait()
	}
	f = b.queue[0]
	b.queue[0] = bus.Frame{}
	b.queue = b.queue[1:]
	b.queued -= size(f)
	b.space.Broadcast()
	return f, b.subs, true
}

func (s *subscription) deliver(f bus.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frame != nil {
		s.frame(f)
	}
}
