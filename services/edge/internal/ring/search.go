package ring

import (
	"encoding/binary"
	"time"

	"example.com/hub/pkg/bus"
)

// spot is where an event of the searched user is.
type spot struct {
	place uint64
	block *block
	at    int
}

func (s spot) header() []byte   { return s.block.data[s.at:] }
func (s spot) late() bool       { return s.header()[atKind]&lateBit != 0 }
func (s spot) kind() bus.Kind   { return bus.Kind(s.header()[atKind] &^ lateBit) }
func (s spot) userLength() int  { return int(binary.LittleEndian.Uint16(s.header()[atUser:])) }
func (s spot) idLength() int    { return int(binary.LittleEndian.Uint16(s.header()[atID:])) }
func (s spot) user() []byte     { return s.header()[headerSize:][:s.userLength()] }
func (s spot) id() []byte       { return s.header()[headerSize+s.userLength():][:s.idLength()] }
func (s spot) distance() uint64 { return uint64(binary.LittleEndian.Uint32(s.header()[atPrevious:])) }

// time is when it happened, in milliseconds since 1970.
func (s spot) time() int64 {
	return int64(binary.LittleEndian.Uint64(s.header()[atTime:]))
}

func (s spot) arrived() time.Time {
	ms := binary.LittleEndian.Uint32(s.header()[atArrival:])
	return s.block.opened.Add(time.Duration(ms) * time.Millisecond)
}

// maxFound is the number of found events from which their memory is not kept for the next search.
const maxFound = 4096

// search puts the user's events from a place on into found, the newest first.
func (r *Ring) search(user string, from uint64) {
	if cap(r.found) > maxFound {
		r.found = nil
	}
	r.found = r.found[:0]
	next := *r.chain(user)
	if next == 0 {
		return
	}
	for place := next - 1; place >= max(from, r.first); {
		b := r.blocks[(place-r.first)/BlockSize]
		s := spot{place, b, int(place % BlockSize)}
		if string(s.user()) == user {
			r.found = append(r.found, s)
		}
		d := s.distance()
		if d == 0 || d > place {
			return
		}
		place -= d
	}
}

// Find gives the place from which a client goes on that saw an event last. It is not ok when the
// event is unknown, or when something after it may be missing.
func (r *Ring) Find(user, id string) (place uint64, ok bool) {
	now := r.clock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	if !r.whole || len(r.blocks) == 0 {
		return 0, false
	}
	r.search(user, r.gone)
	// An id may stand for several events, those of a message and of its reading even. The earliest
	// one repeats what the client may have seen; a later one might leave something out.
	match := -1
	for i, s := range r.found {
		if now.Sub(s.arrived()) <= r.window && string(s.id()) == id {
			match = i
		}
	}
	if match < 0 {
		return 0, false
	}
	m := r.found[match]
	if !m.late() {
		return m.place + 1, true
	}
	floor := m.time() - Overlap.Milliseconds()
	place = m.place + 1
	for _, s := range r.found {
		if s.time() >= floor {
			place = min(place, s.place)
		}
	}
	return place, r.dropped < floor
}

// Event is an event as it is kept. It holds only while it is read.
type Event struct {
	Kind bus.Kind
	ID   []byte
	Time time.Time
}

// Read has a user's events from a place on appended to dst, which may grow to limit and one event. next
// is where to go on; when nothing was read, it is the end of the ring. It is not ok when a part from that
// place on was dropped. The ring is locked while add runs.
func (r *Ring) Read(
	dst []byte, user string, from uint64, limit int, add func(dst []byte, e Event) []byte,
) (text []byte, n int, next uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if from < r.gone {
		return dst, 0, 0, false
	}
	if len(r.blocks) > 0 {
		r.search(user, from)
	} else {
		r.found = r.found[:0]
	}
	for i := len(r.found) - 1; i >= 0; i-- {
		s := r.found[i]
		dst = add(dst, Event{Kind: s.kind(), ID: s.id(), Time: time.UnixMilli(s.time())})
		n++
		if len(dst) >= limit {
			return dst, n, s.place + 1, true
		}
	}
	return dst, n, r.head, true
}
