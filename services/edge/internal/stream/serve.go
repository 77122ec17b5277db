package stream

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"example.com/hub/services/edge/internal/conn"
	"example.com/hub/services/edge/internal/life"
	"example.com/hub/services/edge/internal/sse"
	"example.com/hub/services/edge/internal/topic"
)

// fullRetry is the wait of clients that find the edge full.
const fullRetry = 15 * time.Second

// Serve makes the request's connection the user's stream, in place of one that the user has, and
// returns; the stream goes on after the handler. It keeps neither w nor r. Headers that are set on w
// are sent too.
//
// A client that names the event that it saw last gets what followed first, or a message event that
// tells it to look for itself. Events of todos are not kept, so that it is told to look for these.
//
// The answer is always 200, since an EventSource gives up for good on any other status. Where no
// stream can be had it ends at once, with a "retry:" that tells when to come back.
//
// An error means that the connection cannot be taken over, as with HTTP/2; nothing was written then.
func (b *Broker) Serve(w http.ResponseWriter, r *http.Request, user string, topics topic.Set) error {
	hijacked, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return fmt.Errorf("take over an %s connection: %w", r.Proto, err)
	}
	now := b.deps.Clock()
	c := conn.New(hijacked, &b.slow)
	s := b.newSession(c, r, user, now)
	s.topics = topics
	start := b.ring.End()
	from, id := uint64(0), lastEventID(r)
	replays := id != "" && topics&topic.Inbox != 0
	if replays {
		from = conn.Held
	}
	var f sse.Frame
	f.Retry(retry)
	answer := sse.Head(w.Header(), now, s.format)

	// The head goes out before any event: whoever finds s in the registry waits for its transport.
	var old *session
	if !c.Start(append(answer, f.In(s.format)...), from, func() (admitted bool) {
		old, admitted = b.registry.swap(s, now, b.admit)
		return admitted
	}) {
		b.refuse(c, s.format, answer)
		return nil
	}
	if id != "" && topics&topic.Todos != 0 {
		s.lookAgain(now)
	}
	if replays {
		b.resume(s, c, id, start)
	}
	if old != nil {
		old.end(s.past.wait(), b.deps.Clock(), &b.replaced)
	}
	b.claims.claim(s)
	if s.login.Session != "" && b.deps.Sessions.Ended(s.login.Session) {
		b.endLogin(s) // after its request was let in, and before logout could find it
	}
	b.expire(s, r, now)
	c.Drain(&b.poller, func() { b.ended(s) })
	return nil
}

// newSession makes a session that nobody knows yet. The user's name may be a part of the request's
// buffer, which must not live as long as the stream.
func (b *Broker) newSession(t Transport, r *http.Request, user string, now time.Time) *session {
	s := &session{
		user:      strings.Clone(user),
		transport: t,
		format:    sse.Chunked,
		epoch:     b.epoch.Load(),
		held:      claim{id: 1 + rand.Uint64N(math.MaxUint64), time: now.UnixMicro()},
	}
	if !r.ProtoAtLeast(1, 1) {
		s.format = sse.Bare
	}
	if b.deps.Sessions != nil {
		s.login = life.LoginOf(r, now)
	}
	return s
}

// expire ends s when the token or the session of its request does: that of a user always does. The client
// needs another one for its next connection, which may take a moment; many streams may have the same token.
func (b *Broker) expire(s *session, r *http.Request, now time.Time) {
	if left, ok := life.Expiry(r, b.deps.CloseAtExpiry, now); ok {
		s.expiry = time.AfterFunc(left, func() { s.end(soon(), b.deps.Clock(), &b.expired) })
	}
}

// admit is asked under the lock of a shard, so that Shutdown either prevents a stream or sees it.
func (b *Broker) admit(open int64, replaced int) bool {
	if b.draining.Load() || open > int64(b.deps.MaxStreams) {
		return false
	}
	if limit := b.deps.MaxReplacements; limit > 0 && replaced > limit {
		return false
	}
	b.running.Add(1)
	return true
}

// refuse answers for the handler, which may wait for this client.
func (b *Broker) refuse(c *conn.Conn, format sse.Format, answer []byte) {
	b.refused.Add(1)
	wait := fullRetry
	if b.draining.Load() {
		wait = soon()
	}
	var f sse.Frame
	f.Farewell(wait, b.deps.Clock())
	c.Refuse(append(answer, f.In(format)...))
}

// soon is the wait of clients that can come back at once, but not all at the same time.
func soon() time.Duration { return time.Second + rand.N(4*time.Second) }

// ended forgets a stream whose connection has ended. It is called with that locked.
func (b *Broker) ended(s *session) {
	defer b.running.Done()
	if s.expiry != nil {
		s.expiry.Stop()
	}
	b.hints.remove(s)
	if b.registry.remove(s) {
		b.claims.release(Claim{User: s.user, Stream: s.held.id})
	}
}
