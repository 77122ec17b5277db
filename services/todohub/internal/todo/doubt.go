package todo

import (
	"context"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/lifecycle"
)

const (
	// settleAfter is how long the database has to end a change whose caller or connection is gone.
	settleAfter = time.Second
	// maxDoubts bounds the changes that wait to be settled.
	maxDoubts = 1000
	// anyEvery is how often all users are told at most, since each of their clients then fetches its lists.
	anyEvery = time.Minute
)

// doubts are the changes that ended without an answer of the store, so that nobody knows whether they were
// made. Their users are told in any case: a repeat by the caller may find that nothing is left to change, and
// tell nobody.
type doubts struct {
	waiting chan doubt
	// any says that there were some that did not fit, or are not known item by item.
	any atomic.Bool
}

type doubt struct {
	id    string
	since time.Time
}

func newDoubts() *doubts { return &doubts{waiting: make(chan doubt, maxDoubts)} }

func (d *doubts) add(id string) {
	select {
	case d.waiting <- doubt{id, time.Now()}:
	default:
		d.any.Store(true)
	}
}

// Settle tells users of changes that ended without an answer, until ctx ends.
func (s *Service) Settle(ctx context.Context) {
	tick := time.NewTicker(anyEvery)
	defer tick.Stop()
	for {
		select {
		case d := <-s.doubts.waiting:
			if lifecycle.Sleep(ctx, time.Until(d.since.Add(settleAfter))) {
				s.settle(ctx, d.id)
			}
		case <-tick.C:
			if len(s.doubts.waiting) == 0 && s.doubts.any.Swap(false) {
				s.publisher.Publish(ctx, bus.AnyTodo(s.now()))
			}
		case <-ctx.Done():
			return
		}
	}
}

// settle tells the users of an item as it is stored. It waits for a store that is away.
func (s *Service) settle(ctx context.Context, id string) {
	for {
		item, err := s.store.Get(ctx, GetParams{ID: id})
		switch {
		case err == nil:
			s.announce(ctx, signal(nil, s.now(), id, item.AssigneeUsername, item.FormerAssignee))
			return
		case fault.KindOf(err) == fault.NotFound:
			return
		case !lifecycle.Sleep(ctx, settleAfter):
			return
		}
	}
}
