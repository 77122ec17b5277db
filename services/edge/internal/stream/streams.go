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
// changes nothing; open counts s already when admit is asked.
func (m *streams) swap(s *stream, now time.Time, admit func(open int64) bool) (old *stream, admitted bool) {
	sh := &m.shards[m.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	old = sh.byUser[s.user]
	added := int64(1)
	if old != nil {
		added = 0
	}
	if !admit(m.open.Add(added)) {
		m.open.Add(-added)
		return nil, false
	}
	if old != nil {
		s.past = old.past.with(now)
	}
	sh.byUser[s.user] = s
	return old, true
}

// remove forgets s, unless its user has another stream by now.
func (m *streams) remove(s *stream) {
	sh := &m.shards[m.shardOf(s.user)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.byUser[s.user] == s {
		delete(sh.byUser, s.user)
		m.open.Add(-1)
	}
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
