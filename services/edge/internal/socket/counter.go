package socket

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// countEvery is the least time between two questions for the count of a user.
	countEvery = time.Second
	// maxNames is how many users are asked for in a call, and maxCalls how many calls are in flight.
	maxNames = 500
	maxCalls = 8
	// The pause after a failed call doubles between these while messagehub stays away.
	minPause = 250 * time.Millisecond
	maxPause = 5 * time.Second
	// patience is for how long a socket lives whose count cannot be told.
	patience = time.Minute
)

// Counts tells what users have not read.
type Counts interface {
	// Unread gives the number of UNREAD records of each user, in their order; at most 500.
	Unread(ctx context.Context, users []string) ([]int64, error)
}

// counter has the users whose counts are to be told: at once when something has changed, and then once a
// second, so that the last change is always counted. Those who wait are asked for together.
type counter struct {
	users *users
	deps  *Deps
	told  func(*user, int64)
	wake  chan struct{} // capacity 1

	away          atomic.Bool // the last call failed
	asked, failed atomic.Uint64

	queue []*user // those to be asked for now; guarded by the lock of users
}

func newCounter(u *users, d *Deps, told func(*user, int64)) *counter {
	return &counter{users: u, deps: d, told: told, wake: make(chan struct{}, 1)}
}

// changed has the count of a user told again, if she has a socket here.
func (c *counter) changed(name string) {
	c.users.mu.Lock()
	defer c.users.mu.Unlock()
	if u := c.users.byName[name]; u != nil {
		c.changedLocked(u)
	}
}

// all has the counts of all users told again.
func (c *counter) all() {
	c.users.mu.Lock()
	defer c.users.mu.Unlock()
	for _, u := range c.users.byName {
		c.changedLocked(u)
	}
}

func (c *counter) changedLocked(u *user) {
	if !slices.ContainsFunc(u.clients, (*client).inbox) {
		return
	}
	switch u.state {
	case settled:
		u.state = waiting
		c.askLocked(u.asked.Add(countEvery).Sub(c.deps.Clock()), u)
	case asking:
		u.again = true // the answer may be from before
	}
}

// askLocked has users asked for after a wait.
func (c *counter) askLocked(wait time.Duration, all ...*user) {
	if wait > 0 {
		time.AfterFunc(wait, func() {
			c.users.mu.Lock()
			defer c.users.mu.Unlock()
			c.askLocked(0, all...)
		})
		return
	}
	c.queue = append(c.queue, all...)
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// take gives the users of the next call.
func (c *counter) take() (part []*user) {
	c.users.mu.Lock()
	defer c.users.mu.Unlock()
	for len(c.queue) > 0 && len(part) < maxNames {
		u := c.queue[0]
		c.queue = c.queue[1:]
		if len(u.clients) > 0 {
			u.state, u.asked = asking, c.deps.Clock()
			part = append(part, u)
		}
	}
	return part
}

// run asks until ctx ends.
func (c *counter) run(ctx context.Context) {
	var calls sync.WaitGroup
	defer calls.Wait()
	places := make(chan struct{}, maxCalls)
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
		for {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			part := c.take()
			if len(part) == 0 {
				<-places
				break
			}
			calls.Go(func() {
				defer func() { <-places }()
				c.ask(ctx, part)
			})
		}
	}
}

// ask asks for users once.
func (c *counter) ask(ctx context.Context, part []*user) {
	names := make([]string, len(part))
	for i, u := range part {
		names[i] = u.name
	}
	c.asked.Add(uint64(len(part)))
	counts, err := c.deps.Counts.Unread(ctx, names)
	if ctx.Err() != nil {
		return
	}
	switch was := c.away.Swap(err != nil); {
	case err != nil && !was:
		c.deps.Logger.WarnContext(ctx, "unread counts are not told", slog.Any("error", err))
	case err == nil && was:
		c.deps.Logger.InfoContext(ctx, "unread counts are told again")
	}
	if err != nil {
		c.failed.Add(uint64(len(part)))
		c.retry(part)
		return
	}
	for i, u := range part {
		c.told(u, counts[i])
	}
	c.users.mu.Lock()
	defer c.users.mu.Unlock()
	for _, u := range part {
		u.state, u.failing = settled, time.Time{}
		if u.again {
			u.again = false
			c.changedLocked(u)
		}
	}
}

// retry has users asked for again after a while, and ends the sockets that have waited for too long.
func (c *counter) retry(part []*user) {
	now := c.deps.Clock()
	var late []*client
	c.users.mu.Lock()
	since := now
	for _, u := range part {
		if u.failing.IsZero() {
			u.failing = now
		}
		if u.failing.Before(since) {
			since = u.failing
		}
		u.state, u.again = waiting, false
		for _, s := range u.clients {
			if now.Sub(u.failing) >= patience && now.Sub(s.opened) >= patience {
				late = append(late, s)
			}
		}
	}
	pause := min(max(now.Sub(since), minPause), maxPause)
	c.askLocked(pause/2+rand.N(pause), part...)
	c.users.mu.Unlock()
	for _, s := range late {
		s.end(uncounted)
	}
}
