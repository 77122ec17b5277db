package socket

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// users are those who have sockets. Nothing is written to a socket while the lock is held.
type users struct {
	open    atomic.Int64   // sockets, also those that are not entered yet
	running sync.WaitGroup // the same

	mu       sync.Mutex
	draining bool
	byName   map[string]*user
}

// user is someone with a socket at least, unless she is not in users any more.
type user struct {
	name    string
	clients []*client // the oldest first
	state   state
	again   bool      // she waits to be asked for again, once the answer is there
	asked   time.Time // when her count was asked for last
	failing time.Time // since when it cannot be told; zero when it can
}

// state is that of a user's count.
type state int

const (
	settled state = iota // nothing has changed since the last answer
	waiting              // she is to be asked for, at once or when her second is over
	asking               // the answer is under way
)

func (u *users) init() { u.byName = map[string]*user{} }

// reserve takes a place for a socket, of which there are most. The caller leaves or gives it back.
func (u *users) reserve(most int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.draining || u.open.Load() >= int64(most) {
		return false
	}
	u.open.Add(1)
	u.running.Add(1)
	return true
}

// giveBack gives a place back.
func (u *users) giveBack() {
	u.open.Add(-1)
	u.running.Done()
}

// enter makes c one of the user's sockets, of which there are most, and gives the oldest one that is
// too many, or nil. draining tells that c was not to be seen by Shutdown.
func (u *users) enter(c *client, name string, most int) (oldest *client, draining bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	of := u.byName[name]
	if of == nil {
		of = &user{name: name}
		u.byName[name] = of
	}
	c.user = of
	of.clients = append(of.clients, c)
	if n := len(of.clients) - most; n > 0 {
		oldest = of.clients[n-1] // those before end already
	}
	return oldest, u.draining
}

// leave forgets c.
func (u *users) leave(c *client) {
	defer u.giveBack()
	u.mu.Lock()
	defer u.mu.Unlock()
	of := c.user
	of.clients = slices.DeleteFunc(of.clients, func(other *client) bool { return other == c })
	if len(of.clients) == 0 {
		delete(u.byName, of.name)
	}
}

// of gives the sockets of a user.
func (u *users) of(dst []*client, name string) []*client {
	u.mu.Lock()
	defer u.mu.Unlock()
	if of := u.byName[name]; of != nil {
		dst = append(dst, of.clients...)
	}
	return dst
}

// clientsOf gives the sockets of one of the users.
func (u *users) clientsOf(one *user) []*client {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(one.clients)
}

// all gives every socket.
func (u *users) all() []*client {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.allLocked()
}

func (u *users) allLocked() []*client {
	all := make([]*client, 0, u.open.Load())
	for _, of := range u.byName {
		all = append(all, of.clients...)
	}
	return all
}

// drain lets no more sockets in, and gives those that are there.
func (u *users) drain() []*client {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.draining = true
	return u.allLocked()
}
