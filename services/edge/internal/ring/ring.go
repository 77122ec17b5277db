// Package ring keeps the events of the last time for clients that come back.
package ring

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync"
	"time"

	"example.com/hub/pkg/bus"
)

// Overlap is how much earlier a resume starts from an event that came late: rows that were committed
// at about the same time may have come to the client's former edge in another order.
const Overlap = 5 * time.Second

// BlockSize is the unit of a ring's memory, in bytes.
const BlockSize = 64 << 10

// buckets is the number of chains; with a full ring of a million events each has some thirty.
const buckets = 1 << 15

// Ring keeps events one behind the other in blocks without pointers, and drops the oldest. Each event
// names the one before it whose user has the same hash, so that a search touches little more than the
// events of its user.
//
// A place is the number of bytes before an event since the beginning; blocks are dropped, places go on.
// Only the add of Read is called while its lock is held.
type Ring struct {
	window time.Duration
	limit  int // of blocks
	clock  func() time.Time
	seed   maphash.Seed

	mu      sync.Mutex
	blocks  []*block // the oldest first
	first   uint64   // the place where blocks begin; a multiple of BlockSize
	head    uint64   // the place of the next event
	last    []uint64 // by hash, the place of the newest event and 1, or 0
	whole   bool     // nothing is missing
	gone    uint64   // events before this place were dropped
	dropped int64    // the latest time of a dropped event, in milliseconds since 1970
	spare   *block
	found   []spot // of the search that is under way
}

type block struct {
	data    []byte
	opened  time.Time // arrival of its first event
	arrived time.Time // and of its last
	latest  int64     // time of its latest event
}

// The layout of an event: a header of fixed size, the user, the id.
const (
	atPrevious = 0  // uint32: distance to the previous event of the chain, or 0
	atArrival  = 4  // uint32: milliseconds since the block was opened
	atTime     = 8  // int64: milliseconds since 1970
	atKind     = 16 // uint8, with lateBit
	atUser     = 17 // uint16: length of the user's name
	atID       = 19 // uint16: length of the id
	headerSize = 21

	lateBit = 0x80
)

// New makes a ring of the events of the last window, more than 0, within a budget of memory in bytes, of
// which it takes at least 128 KiB.
func New(window time.Duration, memory int, clock func() time.Time) *Ring {
	return &Ring{
		window:  window,
		limit:   max(2, memory/BlockSize),
		clock:   clock,
		seed:    maphash.MakeSeed(),
		last:    make([]uint64, buckets),
		whole:   true,
		dropped: math.MinInt64,
	}
}

// Add appends a frame, as far as it is about inboxes, and gives its place. late tells that it came out of
// its order.
func (r *Ring) Add(events []bus.Event, late bool) (place uint64) {
	now := r.clock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	place = r.head
	for i := range events {
		if events[i].Kind.Inbox() {
			r.append(&events[i], late, now)
		}
	}
	return place
}

func (r *Ring) append(e *bus.Event, late bool, now time.Time) {
	size := headerSize + len(e.User) + len(e.ID)
	if size > BlockSize {
		// It cannot be kept, so whoever saw less than it is told to look for himself.
		r.clear()
		return
	}
	b := r.blockFor(size, now)
	at := len(b.data)
	place := r.head
	chain := r.chain(e.User)
	distance := uint32(0)
	if d := place + 1 - *chain; *chain > 0 && d <= math.MaxUint32 {
		distance = uint32(d)
	}
	*chain = place + 1

	kind := byte(e.Kind)
	if late {
		kind |= lateBit
	}
	ts := e.Time.UnixMilli()
	b.data = b.data[:at+headerSize]
	h := b.data[at:]
	binary.LittleEndian.PutUint32(h[atPrevious:], distance)
	binary.LittleEndian.PutUint32(h[atArrival:], uint32(max(0, now.Sub(b.opened).Milliseconds())))
	binary.LittleEndian.PutUint64(h[atTime:], uint64(ts))
	h[atKind] = kind
	binary.LittleEndian.PutUint16(h[atUser:], uint16(len(e.User)))
	binary.LittleEndian.PutUint16(h[atID:], uint16(len(e.ID)))
	b.data = append(append(b.data, e.User...), e.ID...)
	b.arrived, b.latest = now, max(b.latest, ts)
	r.head += uint64(size)
}

// chain is where the newest event of the users with the same hash is kept.
func (r *Ring) chain(user string) *uint64 { return &r.last[maphash.String(r.seed, user)%buckets] }

// blockFor gives the last block, or a new one when size does not fit. The rest of the old one is skipped.
func (r *Ring) blockFor(size int, now time.Time) *block {
	if n := len(r.blocks); n > 0 {
		if b := r.blocks[n-1]; len(b.data)+size <= BlockSize {
			return b
		}
		r.head = r.first + uint64(n)*BlockSize
	}
	if len(r.blocks) >= r.limit {
		r.drop()
	}
	b := r.spare
	r.spare = nil
	if b == nil {
		b = &block{data: make([]byte, 0, BlockSize)}
	}
	*b = block{data: b.data[:0], opened: now, latest: math.MinInt64}
	r.blocks = append(r.blocks, b)
	return b
}

// expire drops the blocks that no resume may start in. They are kept a little longer than the window,
// for the overlap.
func (r *Ring) expire(now time.Time) {
	for len(r.blocks) > 0 && now.Sub(r.blocks[0].arrived) > r.window+Overlap {
		r.drop()
	}
	if len(r.blocks) == 0 {
		r.spare = nil
	}
}

func (r *Ring) drop() {
	b := r.blocks[0]
	r.dropped = max(r.dropped, b.latest)
	r.gone = r.first + uint64(len(b.data))
	r.spare = b
	r.blocks[0] = nil
	r.blocks = r.blocks[1:]
	r.first += BlockSize
	if len(r.blocks) == 0 {
		r.head = r.first
	}
}

// Break notes that events are missing that may come late. Until Mend or Forget, nobody is found.
func (r *Ring) Break() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole = false
}

// Mend notes that nothing is missing any more.
func (r *Ring) Mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole = true
}

// Forget drops everything, since events were missed that will never come.
func (r *Ring) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.whole = true
	r.clear()
}

func (r *Ring) clear() {
	for len(r.blocks) > 0 {
		r.drop()
	}
	// Even a reader that has come to the end is told that something is missing there.
	r.first += BlockSize
	r.head, r.gone = r.first, r.first
}

// Tidy drops what is too old when no events come, and gives the bytes that are kept.
func (r *Ring) Tidy() int {
	now := r.clock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	return len(r.blocks) * BlockSize
}

// End gives the place of the next event.
func (r *Ring) End() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.head
}

// Has tells whether no event from this place on was dropped.
func (r *Ring) Has(place uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return place >= r.gone
}
