package pg

import (
	"sync"
	"time"
)

const (
	// allowancePeriod and allowanceLines bound the lines about one slow statement.
	allowancePeriod = 10 * time.Second
	allowanceLines  = 3
)

// allowance grants allowanceLines to each name in each period. Names are few.
type allowance struct {
	mu    sync.Mutex
	names map[string]*granted
}

// granted is what one name got since its period began, and what it did not get.
type granted struct {
	began          time.Time
	taken, leftOut int
}

// take asks for a line. With the first line of a period comes how many were left out since the last one.
func (a *allowance) take(name string, now time.Time) (leftOut int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.names[name]
	if g == nil {
		g = &granted{}
		if a.names == nil {
			a.names = map[string]*granted{}
		}
		a.names[name] = g
	}
	if now.Sub(g.began) >= allowancePeriod {
		g.began, g.taken = now, 0
	}
	if g.taken == allowanceLines {
		g.leftOut++
		return 0, false
	}
	g.taken++
	leftOut, g.leftOut = g.leftOut, 0
	return leftOut, true
}
