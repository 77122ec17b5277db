package stream

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// visitEvery is how often streams are looked through for those whose session is to be asked for.
	visitEvery = 5 * time.Second
	// minDue and maxDue are between which times a stream's session is asked for again: within the time for
	// which an edge may not know that a session was ended.
	minDue = 4 * time.Minute
	maxDue = 5*time.Minute - visitEvery
	// maxVisits bounds the questions at a time.
	maxVisits = 16
)

// Sessions are those of users who read their streams with a cookie.
type Sessions interface {
	// Lives tells whether a session still lives. While nobody can tell, it does.
	Lives(ctx context.Context, session string) bool
	// Ended tells whether this edge knows that a session was ended. It asks nobody.
	Ended(session string) bool
	// Watch calls ended for each session of which this edge learns that it was ended. It must not block.
	Watch(ended func(user, session string))
}

// logout ends the stream of a user's session.
func (b *Broker) logout(user, login string) {
	if s := b.registry.get(b.registry.shardOf(user), user); s != nil && login != "" && s.login == login {
		b.endLogin(s)
	}
}

// endLogin ends a stream, whose client learns when it is back that it must log in.
func (b *Broker) endLogin(s *session) { s.end(soon(), b.deps.Clock(), &b.loggedOut) }

// again is when a session is asked for again, with jitter, so that not all are asked for at once.
func again(now time.Time) time.Time { return now.Add(minDue + rand.N(maxDue-minDue)) }

// visit asks every few minutes for the session of each stream, until ctx ends.
func (b *Broker) visit(ctx context.Context) {
	tick := time.NewTicker(visitEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.visitDue(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// visitDue asks for the sessions whose time has come, and waits for the answers.
func (b *Broker) visitDue(ctx context.Context) {
	var visits sync.WaitGroup
	defer visits.Wait()
	places := make(chan struct{}, maxVisits)
	var part []*session
	for n := range shardCount {
		part = b.registry.appendShard(part[:0], n)
		for _, s := range part {
			now := b.deps.Clock()
			if s.login == "" || now.Before(s.due) {
				continue
			}
			s.due = again(now)
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			visits.Go(func() {
				defer func() { <-places }()
				if !b.deps.Sessions.Lives(ctx, s.login) {
					b.endLogin(s)
				}
			})
		}
	}
}
