// Package life ends what the users of an edge hold open, which are streams and sockets: with their session
// or their token, and when the edge stops.
package life

import (
	"context"
	"iter"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/lifecycle"
)

const (
	// visitEvery is how often all is looked through for those whose session is to be asked for.
	visitEvery = 5 * time.Second
	// minDue and maxDue are between which times a session is asked for again: within the time for which an
	// edge may not know that a session was ended.
	minDue = 4 * time.Minute
	maxDue = 5*time.Minute - visitEvery
	// maxVisits bounds the questions at a time.
	maxVisits = 16
)

// Sessions are those of users who call with a cookie.
type Sessions interface {
	// Lives tells whether a session still lives. While nobody can tell, it does.
	Lives(ctx context.Context, session string) bool
	// Ended tells whether this edge knows that a session was ended. It asks nobody.
	Ended(session string) bool
	// Watch calls ended for each session of which this edge learns that it was ended. It must not block.
	Watch(ended func(user, session string))
}

// Login is the session with which something was opened. The zero Login is none.
type Login struct {
	// Session is empty for a caller without a cookie.
	Session string

	due time.Time // when it is asked for again; only Visits change it
}

// LoginOf gives the login of a request.
func LoginOf(r *http.Request, now time.Time) Login {
	p, _ := auth.From(r.Context())
	return Login{p.Session, again(now)}
}

// again is when a session is asked for again, with jitter, so that not all are asked for at once.
func again(now time.Time) time.Time { return now.Add(minDue + rand.N(maxDue-minDue)) }

// Expiry gives for how long what a request opens may live: until the token or the session of a user ends,
// or a client's token where those count.
func Expiry(r *http.Request, clients bool, now time.Time) (left time.Duration, ok bool) {
	p, ok := auth.From(r.Context())
	if !ok || p.Expires.IsZero() || p.User == "" && !clients {
		return 0, false
	}
	return p.Expires.Sub(now), true
}

// Visits ask every few minutes for the session of each T that is open.
type Visits[T any] struct {
	Sessions Sessions
	// Open gives all that is open.
	Open func() iter.Seq[T]
	// Login gives that of one.
	Login func(T) *Login
	// End ends one whose session does not live any more.
	End   func(T)
	Clock func() time.Time
}

// Run visits until ctx ends.
func (v *Visits[T]) Run(ctx context.Context) {
	tick := time.NewTicker(visitEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			v.due(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// due asks for the sessions whose time has come, and waits for the answers.
func (v *Visits[T]) due(ctx context.Context) {
	var visits sync.WaitGroup
	defer visits.Wait()
	places := make(chan struct{}, maxVisits)
	for open := range v.Open() {
		now, login := v.Clock(), v.Login(open)
		if login.Session == "" || now.Before(login.due) {
			continue
		}
		login.due = again(now)
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return
		}
		visits.Go(func() {
			defer func() { <-places }()
			if !v.Sessions.Lives(ctx, login.Session) {
				v.End(open)
			}
		})
	}
}

// Spread calls end for 0 to n-1, evenly over d, until ctx ends.
func Spread(ctx context.Context, n int, d time.Duration, end func(i int)) {
	start := time.Now()
	for i := range n {
		due := start.Add(d / time.Duration(n) * time.Duration(i))
		if !lifecycle.Sleep(ctx, time.Until(due)) {
			return
		}
		end(i)
	}
}
