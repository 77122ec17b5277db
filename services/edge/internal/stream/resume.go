package stream

import (
	"math"
	"net/http"
	"sync/atomic"
	"unicode/utf8"
)

const (
	// maxLastID is the length of the longest id, in characters.
	maxLastID = 255
	// replayPiece is about how much of a replay is in memory at a time for one client.
	replayPiece = 16 << 10
	// resuming is the place from which nothing is sent that is not replayed.
	resuming = math.MaxUint64
)

// lastEventID gives the id that the client saw last: of the header that browsers send when they
// reconnect (WHATWG HTML, section 9.2.3), else of the parameter for clients that cannot set the
// header at their first connect. It is empty when there is none.
func lastEventID(r *http.Request) string {
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		return id
	}
	return r.URL.Query().Get("lastEventId")
}

// replay reads from the ring what a client missed. The ring takes all that is heard, so it is also
// what keeps events while the stream is not live yet.
type replay struct {
	ring     *ring
	next     uint64 // where to go on
	waiting  bool   // for the hint that comes first
	replayed *atomic.Uint64
}

// resume starts s where its client left off. It is called with the lock of s, before s gets any
// event. It is true when the client is to be told first that its list may be stale.
func (b *Broker) resume(s *stream, id string) (hint bool) {
	place, ok := uint64(0), false
	if utf8.ValidString(id) && utf8.RuneCountInString(id) <= maxLastID {
		place, ok = b.ring.find(s.user, id)
	}
	if ok {
		b.resumed.Add(1)
		s.replay.next = place
	} else {
		b.unknown.Add(1)
		hint = b.deps.Inbox != nil
	}
	s.replay.waiting = hint
	s.pump()
	return hint
}

// pump writes the replay as far as the client takes it at once; a writer does the rest.
func (s *stream) pump() {
	for s.state == open && !s.writing {
		piece := s.pull()
		if len(piece) == 0 {
			return
		}
		s.sendLocked(piece)
	}
}

// pull gives the next piece of the replay, framed. When nothing is left, the stream is live: what the
// ring took before its end was replayed, and what it takes from there on is sent.
func (s *stream) pull() []byte {
	if s.replay == nil || s.replay.waiting {
		return nil
	}
	var c chunk
	piece, n, next, ok := s.replay.ring.read(c.begin(), s.user, s.replay.next, replayPiece)
	switch {
	case !ok:
		// The client read so slowly that the ring dropped what comes next.
		s.slow.Add(1)
		s.abort()
		return nil
	case n == 0:
		s.from, s.replay = next, nil
		return nil
	}
	s.replay.next = next
	s.replay.replayed.Add(uint64(n))
	return s.framed(c.end(piece))
}

// hinted sends the hint, which covers all that the ring took before a place, and then what came since
// the stream began, or what the ring still has of it.
func (s *stream) hinted(hint []byte, covered uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open || s.replay == nil {
		return
	}
	if !s.replay.ring.has(s.replay.next) {
		s.replay.next = covered
	}
	s.replay.waiting = false
	if len(hint) > 0 {
		s.sendLocked(s.framed(hint))
	}
	s.pump()
}
