// Package trip lets calls that come while others are under way share their trip to a store (natural
// batching). Nobody waits while nothing is under way, so a call that comes alone is as fast as without it.
package trip

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"example.com/hub/pkg/fault"
)

// maxCalls is the largest number of calls that share a statement. Measured, more of them gain little, and
// make each wait for all.
const maxCalls = 64

// While a statement is under way, another begins beside it when enough calls wait, or one has waited for long.
// The more calls share one, the less each costs: fewer than enough wait up to longest for the rest of the one under
// way, which takes longer than that with many calls on any disk. Of two statements on a slow disk both share a sync,
// and only one waits when another transaction has locked a row.
const (
	enough  = 16
	longest = time.Millisecond
)

// Config says how calls are made.
type Config[P, R any] struct {
	// One makes a call alone, on the goroutine and in the context of its caller. With unknown, a shared
	// statement whose answer was lost may have made it.
	One func(ctx context.Context, p P, unknown bool) (R, error)
	// Many makes calls that have no key in common by one statement, and gives the outcome of each. An error
	// is the outcome of all. The context is no caller's and has no end, so Many sets one.
	Many func(ctx context.Context, all []P) ([]Outcome[R], error)
	// Trips is the largest number of statements at a time, from 1, those of lone calls included.
	Trips int
	// Patience is the longest that a call waits for its statement to begin.
	Patience time.Duration
	// SeeThrough has a caller whose context ends wait for the outcome of a shared statement that has begun.
	// Without it the caller leaves, and its call is made or not.
	SeeThrough bool
}

// Outcome is what became of a call.
type Outcome[R any] struct {
	Result R
	// Err is why the call failed, or an Alone.
	Err error
}

// Alone is the error of a call, or of all calls of a statement, that One is to make after all.
type Alone struct {
	// Unknown is what One is told.
	Unknown bool
}

// Error implements error.
func (Alone) Error() string { return "to be made alone" }

// Failed is the error of a statement that failed with err. A store that is Unavailable is so for all calls;
// anything else may be the fault of one of them, so each is made alone.
func Failed(err error, unknown bool) error {
	if fault.KindOf(err) == fault.Unavailable {
		return err
	}
	return Alone{unknown}
}

// Group makes calls of one kind. It is safe for concurrent use.
type Group[K comparable, P, R any] struct {
	Config[P, R]
	sharing sync.WaitGroup

	mu sync.Mutex
	// trips are the statements under way.
	trips int
	// last is the last call of each key, under way or waiting.
	last map[K]*call[K, P, R]
	// ready are the waiting calls that need not wait for others of their keys, first come, first served. There are
	// none while no statement is under way.
	ready []*call[K, P, R]
	stats stats
}

// New makes a Group.
func New[K comparable, P, R any](c Config[P, R]) *Group[K, P, R] {
	return &Group[K, P, R]{Config: c, last: map[K]*call[K, P, R]{}}
}

// Do makes a call. Calls that have a key in common are made one after the other, in the order in which they
// came.
//
// A caller whose context ends before its statement has begun, or whose Patience does, has changed nothing;
// the error wraps context.Canceled, or is a fault of kind Unavailable. Other errors are those of One and
// Many. When Many panics, all of its callers do.
func (g *Group[K, P, R]) Do(ctx context.Context, p P, keys ...K) (R, error) {
	c := &call[K, P, R]{params: p, keys: keys}
	if !g.begin(c) {
		if err := g.wait(ctx, c); err != nil {
			var none R
			return none, err
		}
	}
	if c.alone {
		defer g.end(c)
		return g.One(ctx, p, c.unknown)
	}
	if c.panicked != nil {
		panic(c.panicked)
	}
	return c.outcome.Result, c.outcome.Err
}

// Close waits for the shared statements under way, whose callers may have left. No call may come any more.
func (g *Group[K, P, R]) Close() { g.sharing.Wait() }

// begin puts a call in line, and tells whether it may be made at once.
func (g *Group[K, P, R]) begin(c *call[K, P, R]) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.line(c)
	if c.ahead == 0 && g.trips == 0 {
		g.trips++
		c.alone, c.trip = true, true
		return true
	}
	c.done = make(chan struct{})
	if c.ahead == 0 {
		g.ready = append(g.ready, c)
		g.depart()
	}
	return false
}

// wait returns when it is settled what becomes of a call, or with the error of a caller that has left.
func (g *Group[K, P, R]) wait(ctx context.Context, c *call[K, P, R]) error {
	end, first := time.Now().Add(g.Patience), g.Patience
	if g.Trips > 1 {
		first = min(first, longest)
	}
	late := time.NewTimer(first)
	defer late.Stop()
	for {
		select {
		case <-c.done:
			return nil
		case now := <-late.C:
			if more := end.Sub(now); more > 0 {
				g.hasten(c)
				late.Reset(more)
			} else if g.leave(c, waiting) {
				return left(context.DeadlineExceeded)
			}
		case <-ctx.Done():
			until := aboard
			if g.SeeThrough {
				until = waiting
			}
			if g.leave(c, until) {
				return left(ctx.Err())
			}
			<-c.done
			return nil
		}
	}
}

// hasten marks a call that has waited for long, and has it wait for no more company.
func (g *Group[K, P, R]) hasten(c *call[K, P, R]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.overdue = true
	g.depart()
}

// leave takes a call out, unless it is further than the stage.
func (g *Group[K, P, R]) leave(c *call[K, P, R], until stage) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.left = c.stage <= until
	return c.left
}

// left is the error of a caller that has left.
func left(why error) error {
	err := fmt.Errorf("share a statement: %w", why)
	if errors.Is(why, context.Canceled) {
		return err
	}
	return fault.Wrap(fault.Unavailable, "the database is busy", err)
}

// end ends a call that was made alone.
func (g *Group[K, P, R]) end(c *call[K, P, R]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pass(c)
	if c.trip {
		g.trips--
	}
	g.depart()
}

// depart begins statements for the calls that are ready.
func (g *Group[K, P, R]) depart() {
	for g.worth() {
		calls := g.take()
		switch len(calls) {
		case 0:
			return
		case 1:
			c := calls[0]
			c.stage, c.alone, c.trip = settled, true, true
			close(c.done)
		default:
			g.stats.statements++
			g.stats.calls += uint64(len(calls))
			g.sharing.Go(func() { g.share(calls) })
		}
		g.trips++
	}
}

// worth tells whether to begin a statement.
func (g *Group[K, P, R]) worth() bool {
	switch g.trips {
	case 0:
		return true
	case g.Trips:
		return false
	default:
		return len(g.ready) >= enough || slices.ContainsFunc(g.ready, func(c *call[K, P, R]) bool { return c.overdue })
	}
}

// share makes calls by one statement.
func (g *Group[K, P, R]) share(calls []*call[K, P, R]) {
	outcomes, panicked := g.many(calls)
	g.mu.Lock()
	g.trips--
	for i, c := range calls {
		c.stage, c.panicked = settled, panicked
		if panicked == nil {
			c.settle(outcomes[i])
		}
		if c.left || !c.alone {
			g.pass(c)
		}
	}
	g.depart()
	g.mu.Unlock()
	for _, c := range calls {
		close(c.done)
	}
}

// many gives an outcome for each call, or what Many panicked with.
func (g *Group[K, P, R]) many(calls []*call[K, P, R]) (outcomes []Outcome[R], panicked any) {
	defer func() {
		if v := recover(); v != nil {
			panicked = fmt.Sprintf("%v in a shared statement\n\n%s", v, debug.Stack())
		}
	}()
	all := make([]P, len(calls))
	for i, c := range calls {
		all[i] = c.params
	}
	outcomes, err := g.Many(context.Background(), all)
	if err != nil {
		outcomes = make([]Outcome[R], len(calls))
		for i := range outcomes {
			outcomes[i].Err = err
		}
	}
	if len(outcomes) != len(calls) {
		panic(fmt.Sprintf("%d outcomes of %d calls", len(outcomes), len(calls)))
	}
	return outcomes, nil
}
