package trip

import (
	"errors"
	"slices"
)

// stage is how far a call has come.
type stage byte

const (
	waiting stage = iota
	// aboard is a call whose shared statement is under way.
	aboard
	// settled is a call that is made, or that its caller is to make.
	settled
)

// call is one of a Group, whose lock guards it until it is settled.
type call[K comparable, P, R any] struct {
	params P
	keys   []K
	// ahead is the number of calls that it has to wait for, each the one before it of a key. behind are those
	// that wait for it.
	ahead  int
	behind []*call[K, P, R]

	stage stage
	// overdue says that it has waited for longest.
	overdue bool
	// left says that nobody waits for it any more.
	left bool
	// done is closed when it is settled; nil of a call that is made at once.
	done chan struct{}

	// alone says that its caller makes it, unknown what One is told, and trip that it counts as a statement.
	// A call that had been aboard does not: it would wait for the others that had been.
	alone, unknown, trip bool
	outcome              Outcome[R]
	panicked             any
}

func (c *call[K, P, R]) settle(o Outcome[R]) {
	var alone Alone
	if c.alone = errors.As(o.Err, &alone); c.alone {
		c.unknown = alone.Unknown
		return
	}
	c.outcome = o
}

// line puts a call behind the last one of each of its keys.
func (g *Group[K, P, R]) line(c *call[K, P, R]) {
	for _, key := range c.keys {
		before := g.last[key]
		if before == c {
			continue // the key is given twice
		}
		if before != nil {
			before.behind = append(before.behind, c)
			c.ahead++
		}
		g.last[key] = c
	}
}

// pass lets those go on that waited for a call.
func (g *Group[K, P, R]) pass(c *call[K, P, R]) {
	for _, key := range c.keys {
		if g.last[key] == c {
			delete(g.last, key)
		}
	}
	for _, next := range c.behind {
		if next.ahead--; next.ahead == 0 {
			g.ready = append(g.ready, next)
		}
	}
}

// take gives the calls of the next statement. Those that were left keep their place in the lines of their keys
// until then.
func (g *Group[K, P, R]) take() (calls []*call[K, P, R]) {
	n := 0
	for ; n < len(g.ready) && len(calls) < maxCalls; n++ {
		if c := g.ready[n]; c.left {
			g.pass(c)
		} else {
			c.stage = aboard
			calls = append(calls, c)
		}
	}
	g.ready = slices.Delete(g.ready, 0, n)
	return calls
}
