package redisbus

import (
	"context"
	"log/slog"
	"time"

	"example.com/hub/pkg/bus"
)

const (
	// frameEvents is the number of events in a frame; at a hundred, Redis carries some twenty times
	// the events that it carries in frames of one.
	frameEvents = 100
	// pipelineFrames bounds what one exchange carries.
	pipelineFrames = 64
	// eventBytes is the size of a bus.Event without its strings.
	eventBytes = 64
)

// Publish queues the events and returns at once. When they do not fit into the queue, all of them
// are dropped and counted.
func (b *Bus) Publish(_ context.Context, events []bus.Event) {
	if len(events) == 0 {
		return
	}
	size := 0
	for i := range events {
		size += memory(&events[i])
	}
	b.mu.Lock()
	fits := !b.ended && b.bytes+size <= b.deps.QueueBytes
	if fits {
		b.queue = append(b.queue, events...)
		b.bytes += size
	}
	b.mu.Unlock()
	if !fits {
		b.stats.dropped.Add(uint64(len(events)))
		return
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// memory is what an event costs while it is queued.
func memory(e *bus.Event) int { return eventBytes + len(e.User) + len(e.ID) }

// publishLoop is the only goroutine that publishes, which keeps the order. It ends when the bus is
// closed and the queue is empty, or when ctx ends.
func (b *Bus) publishLoop(ctx context.Context) {
	defer close(b.closed)
	tick := time.NewTicker(b.deps.ProbeInterval)
	defer tick.Stop()
	var enc encoder
	for {
		select {
		case <-b.wake:
			b.publishQueue(ctx, &enc)
		case <-tick.C:
			if b.quiet() {
				b.exchange(ctx, [][]byte{probe}, []int{0})
			}
		case <-b.closing:
			b.publishQueue(ctx, &enc)
			return
		}
	}
}

// quiet tells whether a subscription has heard nothing for a probe interval. One probe is heard by
// every process, so that their number does not grow with that of the processes.
func (b *Bus) quiet() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subs {
		if s.silentFor() >= b.deps.ProbeInterval {
			return true
		}
	}
	return false
}

// publishQueue publishes until the queue is empty.
func (b *Bus) publishQueue(ctx context.Context, enc *encoder) {
	for {
		b.mu.Lock()
		events := b.queue
		b.queue = nil
		b.mu.Unlock()
		if len(events) == 0 {
			return
		}
		for len(events) > 0 {
			n := min(len(events), frameEvents*pipelineFrames)
			b.publishPart(ctx, enc, events[:n])
			clear(events[:n])
			events = events[n:]
		}
	}
}

func (b *Bus) publishPart(ctx context.Context, enc *encoder, events []bus.Event) {
	size := 0
	for i := range events {
		size += memory(&events[i])
	}
	frames, counts := enc.frames(events)
	encoded := 0
	for _, n := range counts {
		encoded += n
	}
	b.stats.dropped.Add(uint64(len(events) - encoded))
	b.exchange(ctx, frames, counts)

	b.mu.Lock()
	b.bytes -= size
	b.mu.Unlock()
}

// exchange publishes frames in one pipeline; counts are the events in each.
func (b *Bus) exchange(ctx context.Context, frames [][]byte, counts []int) {
	if len(frames) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, b.deps.Timeout)
	defer cancel()
	pipe := b.deps.Client.Pipeline()
	for _, f := range frames {
		pipe.Publish(ctx, b.channel, f)
	}
	// The error of Exec is that of the first command that has one.
	cmds, err := pipe.Exec(ctx)
	for i, c := range cmds {
		if c.Err() == nil {
			b.stats.published.Add(uint64(counts[i]))
		} else {
			b.stats.dropped.Add(uint64(counts[i]))
		}
	}
	switch was := b.unreachable.Swap(err != nil); {
	case err != nil && !was:
		b.deps.Logger.WarnContext(ctx, "events are not published", slog.Any("error", err))
	case err == nil && was:
		b.deps.Logger.InfoContext(ctx, "events are published again",
			slog.Uint64("dropped_since_start", b.stats.dropped.Load()))
	}
}
