package redisbus

import (
	"context"
	"log/slog"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/telemetry/tracing"
)

const (
	// pipelineFrames bounds what one exchange carries.
	pipelineFrames = 64
	// frameBytes and eventBytes are the sizes of a queued frame and of a bus.Event without what they
	// refer to.
	frameBytes = 96
	eventBytes = 64
)

// Publish queues the frame and returns at once. When it does not fit into the queue, it is dropped
// and its events are counted. A frame larger than the queue is taken when the queue is empty.
func (b *Bus) Publish(ctx context.Context, f bus.Frame) {
	if len(f.Events) == 0 && f.Watermark.IsZero() {
		return
	}
	size := memory(f)
	span := b.deps.Tracer.Publish(ctx, "redis", b.channel, len(f.Events))
	b.mu.Lock()
	fits := !b.ended && (b.bytes == 0 || b.bytes+size <= b.deps.QueueBytes)
	if fits {
		b.queue = append(b.queue, queued{f, span})
		b.bytes += size
	}
	b.mu.Unlock()
	if !fits {
		b.drop(len(f.Events))
		span.Published(false)
		return
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// drop counts events that are not published, of which others are told later.
func (b *Bus) drop(events int) {
	if events > 0 {
		b.stats.dropped.Add(uint64(events))
		b.owed.Store(true)
	}
}

// tellDropped publishes Deps.Dropped where it is owed and Redis takes publications. It is owed again when that
// is dropped, too.
func (b *Bus) tellDropped(ctx context.Context, enc *encoder) {
	if b.deps.Dropped == nil || b.unreachable.Load() || !b.owed.Swap(false) {
		return
	}
	for part := range b.deps.Dropped(time.Now()).Split() {
		enc.add(part)
	}
	b.flush(ctx, enc)
}

// queued is a frame that waits to be published, with the span of that; the span is none for most.
type queued struct {
	frame bus.Frame
	span  tracing.Span
}

// memory is what a frame costs while it is queued.
func memory(f bus.Frame) int {
	size := frameBytes
	for i := range f.Events {
		size += eventBytes + len(f.Events[i].User) + len(f.Events[i].ID)
	}
	return size
}

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
			// Who only hears learns by this alone that Redis takes publications again.
			if b.unreachable.Load() || b.quiet() {
				b.exchange(ctx, []payload{{}})
			}
			b.tellDropped(ctx, &enc)
		case <-b.closing:
			b.publishQueue(ctx, &enc)
			b.tellDropped(ctx, &enc)
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
		if s.Silent() >= b.deps.ProbeInterval {
			return true
		}
	}
	return false
}

// publishQueue publishes until the queue is empty.
func (b *Bus) publishQueue(ctx context.Context, enc *encoder) {
	for {
		b.mu.Lock()
		frames := b.queue
		b.queue = nil
		b.mu.Unlock()
		if len(frames) == 0 {
			return
		}
		for len(frames) > 0 {
			n := joinable(frames)
			b.publishFrame(ctx, enc, enc.join(frames[:n]))
			for _, q := range frames[:n] {
				enc.memory += memory(q.frame)
				if q.span.Recording() {
					enc.spans = append(enc.spans, q.span)
				}
			}
			clear(frames[:n])
			frames = frames[n:]
		}
		b.flush(ctx, enc)
		b.tellDropped(ctx, enc)
		b.rest()
	}
}

// rest lets frames come that can go out together.
func (b *Bus) rest() {
	if b.deps.Interval == 0 {
		return
	}
	select {
	case <-time.After(b.deps.Interval):
	case <-b.closing:
	}
}

// publishFrame encodes a frame and publishes what was encoded as soon as it fills an exchange.
func (b *Bus) publishFrame(ctx context.Context, enc *encoder, f bus.Frame) {
	for part := range f.Split() {
		b.drop(enc.add(part))
		if len(enc.payloads) == pipelineFrames {
			b.flush(ctx, enc)
		}
	}
}

// joinable is how many of the first frames, one at least, can be published as one: those of no row, together
// within what one frame has.
func joinable(frames []queued) (n int) {
	events := 0
	for _, q := range frames {
		f := &q.frame
		if events += len(f.Events); !f.Position.IsZero() || !f.Watermark.IsZero() || events > bus.MaxEvents {
			break
		}
		n++
	}
	return max(1, n)
}

// flush publishes what is encoded.
func (b *Bus) flush(ctx context.Context, enc *encoder) {
	b.exchange(ctx, enc.payloads)
	for _, span := range enc.spans {
		// A large frame goes out in several exchanges; the last one tells.
		span.Published(!b.unreachable.Load())
	}
	b.mu.Lock()
	b.bytes -= enc.memory
	b.mu.Unlock()
	enc.reset()
}

// exchange publishes payloads in one pipeline.
func (b *Bus) exchange(ctx context.Context, payloads []payload) {
	if len(payloads) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, b.deps.Timeout)
	defer cancel()
	pipe := b.deps.Client.Pipeline()
	for _, p := range payloads {
		pipe.Publish(ctx, b.channel, p.encoded)
	}
	// The error of Exec is that of the first command that has one.
	cmds, err := pipe.Exec(ctx)
	for i, c := range cmds {
		if c.Err() == nil {
			b.stats.published.Add(uint64(payloads[i].events))
		} else {
			b.drop(payloads[i].events)
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
