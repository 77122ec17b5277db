package stream

import (
	"sync/atomic"
	"time"

	"example.com/hub/services/edge/internal/life"
	"example.com/hub/services/edge/internal/sse"
	"example.com/hub/services/edge/internal/topic"
)

// Transport carries frames to one client: bytes in the client's format, which are prepared once for all
// clients of that format. No method waits for the client.
type Transport interface {
	// Send takes the frame of an event at a place of the ring, or unplaced. It is false when the frame was left out,
	// because the client gets the event otherwise, is gone, or reads too slowly.
	Send(frame []byte, place uint64) bool
	// Beat takes a heartbeat, which may be left out while something else is on its way.
	Beat(frame []byte)
	// End takes the last frame and ends the stream once all has been sent. Unless it has ended before,
	// count is raised; it may be nil.
	End(frame []byte, count *atomic.Uint64)
	// Close ends the stream at once.
	Close()
}

// session is one user's stream.
type session struct {
	user      string
	transport Transport
	format    sse.Format
	topics    topic.Set
	epoch     uint32       // in which it began
	past      replacements // of this user's streams; guarded by the lock of the user's shard
	held      claim        // guarded by the lock of the user's shard
	expiry    *time.Timer  // ends the stream with its token; nil when it does not
	login     life.Login   // the user's session that the stream ends with
}

// end sends the client away, which is told to come back after a wait.
func (s *session) end(wait time.Duration, now time.Time, count *atomic.Uint64) {
	var f sse.Frame
	f.Farewell(wait, now)
	s.transport.End(f.In(s.format), count)
}
