// Package membus is the event bus inside one process.
package membus

import (
	"context"
	"slices"
	"sync"

	"example.com/hub/pkg/bus"
)

// maxQueued bounds the events that wait for the subscribers, some 15 MB.
const maxQueued = 100_000

// Bus hands every published frame to every subscriber, from one goroutine. Nothing is dropped: while
// the queue is full, Publish waits, and it never waits long, since a subscriber must not block.
type Bus struct {
	stopped chan struct{}

	mu     sync.Mutex
	work   sync.Cond // a frame was queued, or the bus was closed
	room   sync.Cond // the dispatcher took frames, or the bus was closed
	queue  [][]bus.Event
	queued int // events in queue
	closed bool
	subs   []*subscription // replaced, never changed in place
}

type subscription struct {
	mu     sync.Mutex // held while handle runs
	handle func([]bus.Event)
}

var (
	_ bus.Publisher  = (*Bus)(nil)
	_ bus.Subscriber = (*Bus)(nil)
)

// New starts a bus; Close stops it.
func New() *Bus {
	b := &Bus{stopped: make(chan struct{})}
	b.work.L, b.room.L = &b.mu, &b.mu
	go b.dispatch()
	return b
}

// Publish queues the frame and waits while the queue is full. A frame larger than the queue is taken
// when the queue is empty. After Close it does nothing.
func (b *Bus) Publish(_ context.Context, events []bus.Event) {
	if len(events) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && b.queued > 0 && b.queued+len(events) > maxQueued {
		b.room.Wait()
	}
	if b.closed {
		return
	}
	b.queue = append(b.queue, events)
	b.queued += len(events)
	b.work.Signal()
}

// Subscribe implements bus.Subscriber.
func (b *Bus) Subscribe(handle func([]bus.Event)) (cancel func()) {
	s := &subscription{handle: handle}
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
	s.handle = nil
}

// Close refuses further frames and waits until the queued ones are delivered, or until ctx ends.
func (b *Bus) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	b.work.Broadcast()
	b.room.Broadcast()
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
		frame, subs, ok := b.next()
		if !ok {
			return
		}
		for _, s := range subs {
			s.deliver(frame)
		}
	}
}

// next takes the oldest frame and who is to hear it; ok is false when the bus is closed and drained.
func (b *Bus) next() (frame []bus.Event, subs []*subscription, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 {
		if b.closed {
			return nil, nil, false
		}
		b.work.Wait()
	}
	frame = b.queue[0]
	b.queue[0] = nil
	b.queue = b.queue[1:]
	b.queued -= len(frame)
	b.room.Broadcast()
	return frame, b.subs, true
}

func (s *subscription) deliver(frame []bus.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handle != nil {
		s.handle(frame)
	}
}
