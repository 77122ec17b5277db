package stream

import (
	"net/http"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/conn"
	"example.com/hub/services/edge/internal/ring"
	"example.com/hub/services/edge/internal/sse"
)

const (
	// maxLastID is the length of the longest id, in characters.
	maxLastID = 255
	// replayPiece is about how much of a replay is in memory at a time for one client.
	replayPiece = 16 << 10
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

// replay is the backlog of a client that comes back: perhaps a hint, and then what it missed. The ring
// takes all that is heard, so it is also what keeps events while the stream is not live yet.
type replay struct {
	ring     *ring.Ring
	conn     *conn.Conn
	user     string
	format   sse.Format
	frame    sse.Frame
	hinted   bool   // frame is the hint, which comes first
	next     uint64 // where to go on
	replayed *atomic.Uint64
}

// resume has a stream go on where its client left off. What is heard from the place start on is sent in
// any case.
func (b *Broker) resume(s *session, c *conn.Conn, id string, start uint64) {
	r := &replay{ring: b.ring, conn: c, user: s.user, format: s.format, next: start, replayed: &b.replayed}
	place, ok := uint64(0), false
	if utf8.ValidString(id) && utf8.RuneCountInString(id) <= maxLastID {
		place, ok = b.ring.Find(s.user, id)
	}
	switch {
	case ok:
		b.resumed.Add(1)
		r.next = place
	default:
		b.unknown.Add(1)
		if b.deps.Inbox != nil {
			b.hints.add(s, r) // the client is to be told first that its list may be stale
			return
		}
	}
	c.Follow(r)
}

// begin sends a hint with the id of the user's newest record, unless there is none, and then what came
// since the stream began, or what the ring still has of it. The hint covers all that the ring took before
// a place. It is a true event: the record exists, and is new to a client that saw less.
func (r *replay) begin(newest string, covered uint64, now time.Time) {
	if !r.ring.Has(r.next) {
		r.next = covered
	}
	if r.hinted = newest != ""; r.hinted {
		r.frame.Event(&bus.Event{Kind: bus.Message, ID: newest, Time: now})
	}
	r.conn.Follow(r)
}

// Next implements conn.Backlog. The stream is live from the end of the ring on: what came before was
// replayed.
func (r *replay) Next() (piece []byte, live uint64, ok bool) {
	if r.hinted {
		r.hinted = false
		return r.frame.In(r.format), 0, true
	}
	var n int
	var next uint64
	some := r.frame.Events(func(dst []byte) []byte {
		dst, n, next, ok = r.ring.Read(dst, r.user, r.next, replayPiece, appendKept)
		return dst
	})
	if !some {
		return nil, next, ok
	}
	r.next = next
	r.replayed.Add(uint64(n))
	return r.frame.In(r.format), 0, true
}

func appendKept(dst []byte, e ring.Event) []byte {
	dst, _ = sse.AppendEvent(dst, &bus.Event{Kind: e.Kind, ID: string(e.ID), Time: e.Time})
	return dst
}
