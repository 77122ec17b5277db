package stream

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/services/edge/internal/sse"
)

// shardCount keeps deliveries, connects and heartbeats out of each other's way.
const shardCount = 64

// registry knows the one session of each user. A transport's lock may be held while a shard's is taken,
// never the other way round.
type registry struct {
	seed   maphash.Seed
	open   atomic.Int64
	shards [shardCount]shard
}

type shard struct {
	mu     sync.Mutex
	byUser map[string]*session
}

func (r *registry) init() {
	r.seed = maphash.MakeSeed()
	for i := range r.shards {
		r.shards[i].byUser = map[string]*session{}
	}
}

func (r *registry) shardOf(user string) int {
	return int(maphash.String(r.seed, user) % shardCount)
}

// get gives the user's stream, which is in shard n, or nil.
func (r *registry) get(n int, user string) *session {
	sh := &r.shards[n]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.byUser[user]
}

// swap makes s its user's stream and gives the one that it replaces, if any. Unless admit agrees, it
// changes nothing; open and replaced, the user's replacements of late, count s already when admit is
// asked.
func (r *registry) swap(s *session, now time.Time, admit func(open int64, replaced int) bool) (old *session, admitted bool) {
	sh := &r.shards[r.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	old = sh.byUser[s.user]
	added := int64(1)
	if old != nil {
		added = 0
		s.past = old.past.with(now)
	}
	if !admit(r.open.Add(added), len(s.past)) {
		r.open.Add(-added)
		return nil, false
	}
	if old != nil {
		s.held.after = old.held.after
		if old.held.asked {
			s.held.after = old.held.id
		}
	}
	sh.byUser[s.user] = s
	return old, true
}

// remove forgets s, unless its user has another stream by now. claimed tells that the claim of s is
// to be released.
func (r *registry) remove(s *session) (claimed bool) {
	sh := &r.shards[r.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.byUser[s.user] != s {
		return false
	}
	delete(sh.byUser, s.user)
	r.open.Add(-1)
	return s.held.asked
}

// appendShard appends the streams of shard n.
func (r *registry) appendShard(dst []*session, n int) []*session {
	sh := &r.shards[n]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for _, s := range sh.byUser {
		dst = append(dst, s)
	}
	return dst
}

// all gives every stream. It waits for every swap that has begun.
func (r *registry) all() []*session {
	all := make([]*session, 0, r.open.Load())
	for n := range r.shards {
		all = r.appendShard(all, n)
	}
	return all
}

// beat sends a heartbeat to the streams of one worker's shards.
func (r *registry) beat(f *sse.Frame, worker, workers int) {
	var part []*session
	for n := worker; n < shardCount; n += workers {
		part = r.appendShard(part[:0], n)
		for _, s := range part {
			s.transport.Beat(f.In(s.format))
		}
	}
}

// ask notes that the claim of s goes out, and gives it; it is not ok when s is gone.
func (r *registry) ask(s *session) (own claim, ok bool) {
	sh := &r.shards[r.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.byUser[s.user] != s {
		return claim{}, false
	}
	s.held.asked = true
	return s.held, true
}

// settle notes who holds the user of s. It is lost when that is a newer stream, here or as heard.
func (r *registry) settle(s *session, c Claim, now time.Time) (rival Claim, lost bool) {
	sh := &r.shards[r.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.byUser[s.user] != s {
		return Claim{}, false
	}
	own := &s.held
	own.settled = true
	heard := own.rival
	own.rival = nil
	switch {
	case c.Time == 0: // undecided
	case c.Stream != own.id:
		return c, true
	default:
		own.time = c.Time
		s.past = s.past.atLeast(c.Replaced, now)
	}
	if heard != nil && heard.newer(Claim{Time: own.time, Stream: own.id}) {
		return *heard, true
	}
	return Claim{}, false
}

// adopt takes over the time by which others know the claim of s.
func (r *registry) adopt(s *session, at int64) {
	sh := &r.shards[r.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	s.held.time = at
}

// settled gives the streams of shard n whose claims are settled, with these.
func (r *registry) settled(n int) (held []*session, claims []Claim) {
	sh := &r.shards[n]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for _, s := range sh.byUser {
		if s.held.settled {
			held = append(held, s)
			claims = append(claims, Claim{User: s.user, Stream: s.held.id, Time: s.held.time})
		}
	}
	return held, claims
}

// challenge gives the stream that is older than a claim that was heard, or nil.
func (r *registry) challenge(c Claim) *session {
	sh := &r.shards[r.shardOf(c.User)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	s := sh.byUser[c.User]
	if s == nil || s.held.id == c.Stream {
		return nil
	}
	own := &s.held
	switch {
	case own.settled && c.newer(Claim{Time: own.time, Stream: own.id}):
		return s
	case !own.settled && (own.rival == nil || c.newer(*own.rival)):
		own.rival = &c
	}
	return nil
}
