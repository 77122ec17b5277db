package stream

import (
	"sync"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/sse"
)

// fanOutFrom is the number of events in a frame from which several goroutines write.
const fanOutFrom = 32

// deliver keeps a frame for clients that come back and writes each event to the stream of its user,
// if that is here and the frame is for it. It waits for no client.
func (b *Broker) deliver(f bus.Frame, a Arrival) {
	var place uint64
	if a.From == 0 || !a.Late {
		// A frame that was listed before it is heard is kept a second time: a stream that counts on hearing
		// may have got later ones meanwhile, behind which its client looks when it comes back.
		place = b.ring.Add(f.Events, a.Late)
	} else {
		place = b.ring.End() // it is there already
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

var frames = sync.Pool{New: func() any { return new(sse.Frame) }}

// write handles the events of one worker's users: all events of a user are one worker's, which keeps
// their order.
func (b *Broker) write(events []bus.Event, a Arrival, place uint64, worker, workers int) {
	frame := frames.Get().(*sse.Frame)
	defer frames.Put(frame)
	var delivered, unsafeIDs uint64
	for i := range events {
		e := &events[i]
		n := b.registry.shardOf(e.User)
		if n%workers != worker {
			continue
		}
		s := b.registry.get(n, e.User)
		if s == nil || !s.topics.Has(e.Kind) || s.epoch < a.From || s.epoch >= a.To {
			continue
		}
		at := place
		if !e.Kind.Inbox() {
			at = unplaced
		}
		clean := frame.Event(e)
		if s.transport.Send(frame.In(s.format), at) {
			delivered++
			if !clean {
				unsafeIDs++
			}
		}
	}
	b.delivered.Add(delivered)
	b.unsafeIDs.Add(unsafeIDs)
}
