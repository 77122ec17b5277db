package stream

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/sse"
	"example.com/hub/services/edge/internal/topic"
)

// unplaced is the place of frames that no ring keeps: they go out whatever a client still gets replayed.
const unplaced = math.MaxUint64

// looker has the streams with the topic of todos look again after events may have been missed. Each hears
// of it once within a heartbeat interval, and not all at once, since each client fetches its lists then.
type looker struct {
	registry *registry
	deps     *Deps
	wake     chan struct{} // capacity 1
	told     atomic.Uint64 // Stats.LookAgain
}

func newLooker(r *registry, d *Deps) *looker {
	return &looker{registry: r, deps: d, wake: make(chan struct{}, 1)}
}

// again is for the streams that there are now.
func (l *looker) again() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run goes once around the shards after each wake, from wherever it is, until ctx ends.
func (l *looker) run(ctx context.Context) {
	step := max(1, l.deps.Heartbeat/shardCount)
	due := time.NewTimer(0)
	defer due.Stop()
	<-due.C
	for n, left := 0, 0; ; {
		select {
		case <-l.wake:
			if left == 0 {
				due.Reset(0)
			}
			left = shardCount
		case <-due.C:
			l.tell(n)
			n = (n + 1) % shardCount
			if left--; left > 0 {
				due.Reset(step)
			}
		case <-ctx.Done():
			return
		}
	}
}

// tell has the streams of a shard look again.
func (l *looker) tell(n int) {
	now := l.deps.Clock()
	for _, s := range l.registry.appendShard(nil, n) {
		if s.topics&topic.Todos != 0 && s.lookAgain(now) {
			l.told.Add(1)
		}
	}
}

// lookAgain tells a client that any of its user's todos may have changed.
func (s *session) lookAgain(now time.Time) bool {
	var f sse.Frame
	f.Event(&bus.Event{Kind: bus.Todo, Time: now})
	return s.transport.Send(f.In(s.format), unplaced)
}
