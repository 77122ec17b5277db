package stream

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// maxQueued and maxQueuedBytes bound what waits for a client that reads too slowly. The longest
	// event takes some 3 KiB.
	maxQueued      = 64
	maxQueuedBytes = 64 << 10
	// writeTimeout is how long a client may take to read what waits for it.
	writeTimeout = 5 * time.Second
	// sendBuffer bounds what the kernel holds for one client, which would grow to several MiB.
	sendBuffer = 64 << 10
	// maxExtra is how much a client may send after its request, all of it ignored.
	maxExtra = 4 << 10
)

type state uint8

const (
	open    state = iota
	ending        // takes no more events; the writer closes it when nothing waits
	aborted       // the connection is closed
)

// stream is one client's connection. A write is one attempt that does not block; only what the
// kernel does not take waits in a queue, and a writer goroutine lives as long as something waits.
type stream struct {
	user  string
	conn  net.Conn        // to read from
	wire  net.Conn        // to write to: conn, or the connection below its TLS
	below *below          // seals what is written to wire; nil when wire is conn
	raw   syscall.RawConn // of wire; nil: it cannot be asked for one attempt, so all is queued
	slow  *atomic.Uint64  // counts streams that ended because their client reads too slowly
	past  replacements    // of this user's streams; guarded by the lock of the user's shard
	held  claim           // guarded by the lock of the user's shard
	era   uint32          // in which it began
	bare  bool            // the client speaks HTTP/1.0, which has no chunks

	expiry *time.Timer // ends the stream with its token; nil when it does not

	mu      sync.Mutex
	state   state
	from    uint64  // frames at an earlier place of the ring are not sent
	replay  *replay // nil once the stream is live
	writing bool    // a writer goroutine has the connection's write side for itself
	waiting []byte  // what the writer has not taken yet
	queued  int     // frames in waiting and with the writer
	writers sync.WaitGroup
}

// deliver writes the chunk of one event, or queues it in its order, unless it is before the place of
// the ring from which the stream is live. It is false, too, when the stream has ended or ends now,
// because the client is gone or reads too slowly.
func (s *stream) deliver(chunk []byte, place uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return place >= s.from && s.sendLocked(s.framed(chunk))
}

// framed gives a chunk as the client takes it.
func (s *stream) framed(chunk []byte) []byte {
	if s.bare {
		return textOf(chunk)
	}
	return chunk
}

// last gives a chunk as the client takes it at the end of a stream, which it can tell from a cut.
func (s *stream) last(chunk []byte) []byte {
	if s.bare {
		return textOf(chunk)
	}
	return append(chunk, lastChunk...)
}

// sendLocked writes or queues what framed gives.
func (s *stream) sendLocked(frame []byte) bool {
	if s.state != open {
		return false
	}
	rest, ok := s.attempt(frame, false)
	switch {
	case !ok:
		s.abort()
		return false
	case len(rest) == 0:
		return true
	case s.queued >= maxQueued || len(s.waiting)+len(rest) > maxQueuedBytes:
		s.slow.Add(1)
		s.abort()
		return false
	}
	s.enqueue(rest)
	return true
}

func (s *stream) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == open
}

// beat sends a heartbeat, unless something waits, which tells the client as much.
func (s *stream) beat(chunk []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.writing {
		s.sendLocked(s.framed(chunk))
	}
}

// end sends a last chunk of text after all that waits, and closes the connection. It does not wait for
// that. Unless the stream has ended before, count is raised; it may be nil.
func (s *stream) end(farewell []byte, count *atomic.Uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != open {
		return
	}
	if count != nil {
		count.Add(1)
	}
	s.state = ending
	rest, ok := s.attempt(s.last(farewell), true)
	if !ok || len(rest) == 0 {
		s.state = aborted
		_ = s.wire.Close()
		return
	}
	s.enqueue(rest)
}

// close ends the stream at once.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abort()
}

// attempt writes what the kernel takes at once and gives the rest; ok is false when the connection
// is broken. Behind a writer it takes nothing, for the order. Nothing may follow the last frame.
func (s *stream) attempt(frame []byte, last bool) (rest []byte, ok bool) {
	if s.below != nil {
		return s.attemptSealed(frame, last)
	}
	if s.writing || s.raw == nil {
		return frame, true
	}
	n, err := tryWrite(s.raw, frame)
	return frame[n:], err == nil
}

func (s *stream) enqueue(frame []byte) {
	s.waiting = append(s.waiting, frame...)
	s.queued++
	if !s.writing {
		s.writing = true
		s.writers.Go(s.write)
	}
}

// abort closes the connection without a last chunk; a writer that is under way fails.
func (s *stream) abort() {
	if s.state == aborted {
		return
	}
	s.state = aborted
	s.waiting = nil
	discard(s.wire)
}

// write takes what waits until nothing does.
func (s *stream) write() {
	for {
		chunk, frames, last := s.next()
		if last {
			_ = s.wire.Close()
		}
		if frames == 0 {
			return
		}
		_, err := s.wire.Write(chunk)
		s.wrote(frames, err)
	}
}

// next takes all that waits and sets the deadline for it. With nothing left the writer is over, and
// last tells whether the stream is, too.
func (s *stream) next() (chunk []byte, frames int, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == open && s.queued == 0 {
		s.fetch()
	}
	if s.state != aborted && s.queued > 0 {
		chunk, s.waiting = s.waiting, nil
		_ = s.wire.SetWriteDeadline(time.Now().Add(writeTimeout))
		return chunk, s.queued, false
	}
	last = s.state == ending
	if last {
		s.state = aborted
	}
	s.writing = false
	_ = s.wire.SetWriteDeadline(time.Time{})
	return nil, 0, last
}

// fetch lets the next piece of the replay wait, if there is one.
func (s *stream) fetch() {
	piece := s.pull()
	if s.below != nil && len(piece) > 0 {
		rest, ok := s.attemptSealed(piece, false)
		if !ok {
			s.abort()
			return
		}
		piece = rest
	}
	if s.waiting = piece; len(piece) > 0 {
		s.queued = 1
	}
}

func (s *stream) wrote(frames int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued -= frames
	if err == nil || s.state == aborted {
		return
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		s.slow.Add(1)
	}
	s.abort()
}

// drain ignores what the client sends until the connection ends. It is the stream's one goroutine.
func (s *stream) drain() {
	var buf [64]byte
	for extra := 0; extra <= maxExtra; {
		n, err := s.conn.Read(buf[:])
		if err != nil {
			break
		}
		extra += n
	}
	s.close()
	s.writers.Wait()
}

// discard closes a connection without sending what is left: no farewell of TLS, which may block, and
// nothing that the kernel still holds.
func discard(c net.Conn) {
	switch c := c.(type) {
	case *tls.Conn:
		discard(c.NetConn())
		return
	case *net.TCPConn:
		_ = c.SetLinger(0)
	}
	_ = c.Close()
}
