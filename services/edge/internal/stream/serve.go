package stream

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"example.com/hub/pkg/auth"
)

const (
	// fullRetry is the wait of clients that find the edge full.
	fullRetry = 15 * time.Second
	// peerTimeout is how long a client may acknowledge nothing of what was sent.
	peerTimeout = 30 * time.Second
)

// Serve makes the request's connection the user's stream, in place of one that the user has, and
// returns; the stream goes on after the handler. It keeps neither w nor r. Headers that are set on w
// are sent too.
//
// A client that names the event that it saw last gets what followed first, or a message event that
// tells it to look for itself.
//
// The answer is always 200, since an EventSource gives up for good on any other status. Where no
// stream can be had it ends at once, with a "retry:" that tells when to come back.
//
// An error means that the connection cannot be taken over, as with HTTP/2; nothing was written then.
func (b *Broker) Serve(w http.ResponseWriter, r *http.Request, user string) error {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return fmt.Errorf("take over an %s connection: %w", r.Proto, err)
	}
	now := b.deps.Clock()
	s := b.prepare(conn, user, now)
	s.bare = !r.ProtoAtLeast(1, 1)
	answer := head(w.Header(), now, s.bare)
	id := lastEventID(r)
	if id != "" {
		s.from = resuming
		s.replay = &replay{ring: b.ring, next: b.ring.end(), replayed: &b.replayed}
	}

	// The head goes out before any event: whoever finds s in the map waits for its lock.
	s.mu.Lock()
	old, admitted := b.streams.swap(s, now, b.admit)
	if !admitted {
		s.mu.Unlock()
		b.refuse(s, answer)
		return nil
	}
	if s.below != nil {
		s.below.takeOver()
	}
	var c chunk
	s.sendLocked(append(answer, s.framed(c.end(appendRetry(c.begin(), retry)))...))
	hint := id != "" && b.resume(s, id)
	s.mu.Unlock()
	if old != nil {
		old.end(b.farewell(s.past.wait()), &b.replaced)
	}
	if hint {
		b.hints.add(s)
	}
	if b.deps.Claims != nil {
		b.claims.claim(s)
	}
	if b.deps.CloseAtExpiry {
		b.expire(s, r, now)
	}
	go b.hold(s)
	return nil
}

// prepare makes a stream that nobody knows yet. The user's name may be a part of the request's
// buffer, which must not live as long as the stream.
func (b *Broker) prepare(conn net.Conn, user string, now time.Time) *stream {
	wire, sealer := transport(conn)
	s := &stream{
		user:  strings.Clone(user),
		era:   b.era.Load(),
		conn:  conn,
		wire:  wire,
		below: sealer,
		raw:   rawConn(wire),
		slow:  &b.slow,
		held:  claim{id: 1 + rand.Uint64N(math.MaxUint64), time: now.UnixMicro()},
	}
	_ = conn.SetDeadline(time.Time{}) // of the server, for requests
	if tcp, ok := wire.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer)
	}
	if s.raw != nil {
		setUserTimeout(s.raw, peerTimeout)
	}
	return s
}

// expire ends s when the token of its request does. The client needs another one for its next
// connection, which may take a moment; many streams may have the same token.
func (b *Broker) expire(s *stream, r *http.Request, now time.Time) {
	caller, ok := auth.CallerFrom(r.Context())
	if !ok || caller.Expires.IsZero() {
		return
	}
	s.expiry = time.AfterFunc(caller.Expires.Sub(now), func() { s.end(b.farewell(soon()), &b.expired) })
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
func (b *Broker) refuse(s *stream, answer []byte) {
	b.refused.Add(1)
	wait := fullRetry
	if b.draining.Load() {
		wait = soon()
	}
	_ = s.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, _ = s.conn.Write(append(answer, s.last(b.farewell(wait))...))
	_ = s.conn.Close()
}

// farewell is the last chunk of a stream that holds text.
func (b *Broker) farewell(wait time.Duration) []byte {
	var c chunk
	return c.end(AppendFarewell(c.begin(), wait, b.deps.Clock()))
}

// soon is the wait of clients that can come back at once, but not all at the same time.
func soon() time.Duration { return time.Second + rand.N(4*time.Second) }

// hold is a stream's goroutine.
func (b *Broker) hold(s *stream) {
	defer b.running.Done()
	s.drain()
	if s.expiry != nil {
		s.expiry.Stop()
	}
	b.hints.remove(s)
	if b.streams.remove(s) {
		b.claims.release(Claim{User: s.user, Stream: s.held.id})
	}
}

// head gives the status line and the header. The body is chunked; a bare one, for HTTP/1.0, ends with
// the connection. The type needs no charset: event streams are UTF-8 (WHATWG HTML, section 9.2.5).
func head(h http.Header, now time.Time, bare bool) []byte {
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("Connection", "close") // without it a client might send its next request while Hub closes it
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
	h.Del("Transfer-Encoding")
	if !bare {
		h.Set("Transfer-Encoding", "chunked")
	}
	var buf bytes.Buffer
	buf.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&buf) // a buffer takes everything
	buf.WriteString("\r\n")
	return buf.Bytes()
}
