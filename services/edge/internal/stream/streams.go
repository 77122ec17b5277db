package stream

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

// shardCount keeps deliveries, connects and heartbeats out of each other's way.
const shardCount = 64

// streams holds the one stream of each user. A stream's lock may be held while a shard's is taken,
// never the other way round.
type streams struct {
	seed   maphash.Seed
	open   atomic.Int64
	shards [shardCount]shard
}

type shard struct {
	mu     sync.Mutex
	byUser map[string]*stream
}

func (m *streams) init() {
	m.seed = maphash.MakeSeed()
	for i := range m.shards {
		m.shards[i].byUser = map[string]*stream{}
	}
}

func (m *streams) shardOf(user string) int {
	return int(maphash.String(m.seed, user) % shardCount)
}

// get gives the user's stream, which is in shard n, or nil.
func (m *streams) get(n int, user string) *stream {
	sh := &m.shards[n]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.byUser[user]
}

// swap makes s its user's stream and gives the one that it replaces, if any. Unless admit agrees, it
// changes nothing; open and replaced, the user's replacements of late, count s already when admit is
// asked.
func (m *streams) swap(s *stream, now time.Time, admit func(open int64, replaced int) bool) (old *stream, admitted bool) {
	sh := &m.shards[m.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	old = sh.byUser[s.user]
	added := int64(1)
	if old != nil {
		added = 0
		s.past = old.past.with(now)
	}
	if !admit(m.open.Add(added), len(s.past)) {
		m.open.Add(-added)
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
func (m *streams) remove(s *stream) (claimed bool) {
	sh := &m.shards[m.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.byUser[s.user] != s {
		return false
	}
	delete(sh.byUser, s.user)
	m.open.Add(-1)
	return s.held.asked
}

// appendShard appends the streams of shard n.
func (m *streams) appendShard(dst []*stream, n int) []*stream {
	sh := &m.shards[n]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	for _, s := range sh.byUser {
		dst = append(dst, s)
	}
	return dst
}

// all gives every stream. It waits for every swap that has begun.
func (m *streams) all() []*stream {
	all := make([]*stream, 0, m.open.Load())
	for n := range m.shards {
		all = m.appendShard(all, n)
	}
	return all
}

// beat sends a heartbeat to the streams of one worker's shards.
func (m *streams) beat(frame []byte, worker, workers int) {
	var part []*stream
	for n := worker; n < shardCount; n += workers {
		part = m.appendShard(part[:0], n)
		for _, s := range part {
			s.beat(frame)
		}
	}
}

// ask notes that the claim of s goes out, and gives it; it is not ok when s is gone.
func (m *streams) ask(s *stream) (own claim, ok bool) {
	sh := &m.shards[m.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.byUser[s.user] != s {
		return claim{}, false
	}
	s.held.asked = true
	return s.held, true
}

// settle notes who holds the user of s. It is lost when that is a newer stream, here or as heard.
func (m *streams) settle(s *stream, c Claim, now time.Time) (rival Claim, lost bool) {
	sh := &m.shards[m.shardOf(s.user)]
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
func (m *streams) adopt(s *stream, at int64) {
	sh := &m.shards[m.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	s.held.time = at
}

// settled gives the streams of shard n whose claims are settled, with these.
func (m *streams) settled(n int) (held []*stream, claims []Claim) {
	sh := &m.shards[n]
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
func (m *streams) challenge(c Claim) *stream {
	sh := &m.shards[m.shardOf(c.User)]
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
