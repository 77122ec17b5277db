package demoidp

import (
	"container/list"
	"crypto/rand"
	"sync"
	"time"
)

const (
	// codeLifetime is how long a code may be exchanged.
	codeLifetime = time.Minute
	// maxCodes bounds the memory; the oldest one goes first.
	maxCodes = 1000
)

// grant is what a code stands for.
type grant struct {
	code             string
	user             user
	nonce, challenge string
	scope            string
	made             time.Time
}

// codes are those that may still be exchanged.
type codes struct {
	clock func() time.Time

	mu    sync.Mutex
	order *list.List // of grants, the oldest first
	found map[string]*list.Element
}

func newCodes(clock func() time.Time) *codes {
	return &codes{clock: clock, order: list.New(), found: map[string]*list.Element{}}
}

// add gives the code of a grant.
func (c *codes) add(g grant) string {
	g.code, g.made = rand.Text(), c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.order.Len() == maxCodes {
		c.remove(c.order.Front())
	}
	c.found[g.code] = c.order.PushBack(g)
	return g.code
}

// take gives what a code stands for, once.
func (c *codes) take(code string) (grant, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.found[code]
	if !ok {
		return grant{}, false
	}
	g := c.remove(e)
	return g, c.clock().Sub(g.made) < codeLifetime
}

func (c *codes) remove(e *list.Element) grant {
	g := c.order.Remove(e).(grant) //nolint:forcetypeassert // nothing else is in it
	delete(c.found, g.code)
	return g
}
