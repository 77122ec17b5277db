// Package conn writes to a client's connection without waiting for the client.
//
// Connections are many and idle, so each costs little: it is taken from net/http, whose buffers go, and a
// Poller waits for the clients of all to leave, so that an idle one has neither goroutine nor buffer. A write
// is one attempt that does not block; only what the kernel does not take waits in a queue, and a writer
// goroutine lives as long as something waits.
package conn

import (
	"crypto/tls"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// maxQueued and maxQueuedBytes bound what waits for a client that reads too slowly. The longest
	// frame of one event takes some 3 KiB.
	maxQueued      = 64
	maxQueuedBytes = 64 << 10
	// writeTimeout is how long a client may take to read what waits for it.
	writeTimeout = 5 * time.Second
	// peerTimeout is how long a client may acknowledge nothing of what was sent.
	peerTimeout = 30 * time.Second
	// sendBuffer bounds what the kernel holds for one client, which would grow to several MiB.
	sendBuffer = 64 << 10
	// maxExtra is how much a client may send after its request, all of it ignored.
	maxExtra = 4 << 10
)

// Held is the place of Start for a client that gets no live frames before a Backlog.
const Held = math.MaxUint64

type state uint8

const (
	open    state = iota
	ending        // takes no more frames; the writer closes it when nothing waits
	aborted       // the connection is closed
)

// Conn is one client's connection. Frames are bytes as the client takes them; a live one has a place in
// the order of all that are live.
type Conn struct {
	conn net.Conn        // to read from
	wire net.Conn        // to write to: conn, or the connection below its TLS
	shim *shim           // seals what is written to wire; nil when wire is conn
	raw  syscall.RawConn // of wire; nil: it cannot be asked for one attempt, so all is queued
	slow *atomic.Uint64
	late []byte // the last frame of a client that reads too slowly; empty for none

	extra int // bytes that the client sent after its request; of whoever reads

	mu      sync.Mutex
	state   state
	from    uint64  // live frames of an earlier place are not sent
	backlog Backlog // nil when there is none, or none is left
	writing bool    // a writer goroutine has the connection's write side for itself
	waiting []byte  // what the writer has not taken yet
	queued  int     // frames in waiting and with the writer
	writers sync.WaitGroup
	poller  *Poller // that waits for the client; nil for none
	number  uint64  // by which the poller knows c
	ended   func()  // of Drain; nil before, and once it was called
}

// Backlog is what a client gets before the live frames.
type Backlog interface {
	// Next gives the next piece, which holds until the next call. When nothing is left, piece is empty,
	// and live frames are sent from a place on. It is not ok when what comes next is gone, since the client
	// read too slowly. The Conn is locked meanwhile.
	Next() (piece []byte, live uint64, ok bool)
}

// New makes a Conn of a connection that is taken from its server. slow counts the connections that end
// because their client reads too slowly.
func New(c net.Conn, slow *atomic.Uint64) *Conn {
	wire, shim := writeSide(c)
	out := &Conn{conn: c, wire: wire, shim: shim, raw: rawConn(wire), slow: slow}
	_ = c.SetDeadline(time.Time{}) // of the server, for requests
	if tcp, ok := wire.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(sendBuffer)
	}
	if out.raw != nil {
		setUserTimeout(out.raw, peerTimeout)
	}
	return out
}

// Late sets the last frame of a client that reads too slowly, behind what waits for it. Without one, that
// client's connection is closed at once. It is to be called before Start.
func (c *Conn) Late(frame []byte) { c.late = frame }

// Refuse writes all that the client gets, and closes the connection. Unlike all else it may wait for the
// client. There must have been no Start that entered.
func (c *Conn) Refuse(answer []byte) {
	_ = c.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, _ = c.conn.Write(answer)
	_ = c.conn.Close()
}

// Start writes head, which may be empty, if enter agrees, and live frames from a place on. Whoever finds c by what enter does
// waits until head is written.
func (c *Conn) Start(head []byte, from uint64, enter func() bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.from = from
	if !enter() {
		return false
	}
	if c.shim != nil {
		c.shim.takeOver()
	}
	if len(head) > 0 {
		c.send(head)
	}
	return true
}

// Follow writes a backlog, of which the client takes what it can at once; a writer does the rest.
func (c *Conn) Follow(b Backlog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.backlog = b
	for c.state == open && !c.writing {
		piece := c.pull()
		if len(piece) == 0 {
			return
		}
		c.send(piece)
	}
}

// Send writes a live frame, or queues it in its order, unless its place is before the one from which live
// frames are sent. It is false, too, when the connection has ended or ends now, because the client is
// gone or reads too slowly.
func (c *Conn) Send(frame []byte, place uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return place >= c.from && c.send(frame)
}

// Beat writes a sign of life, unless something waits, which tells the client as much.
func (c *Conn) Beat(frame []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.writing {
		c.send(frame)
	}
}

// End writes a last frame, which may be empty, after all that waits, and closes the connection. It does not
// wait for that. Unless the connection has ended before, count is raised; it may be nil.
func (c *Conn) End(frame []byte, count *atomic.Uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return
	}
	if count != nil {
		count.Add(1)
	}
	c.finish(frame)
}

// finish writes a last frame and lets the connection end with it.
func (c *Conn) finish(frame []byte) {
	c.state = ending
	rest, ok := c.attempt(frame, true)
	switch {
	case ok && len(rest) > 0:
		c.enqueue(rest)
	case !ok || !c.writing:
		c.state = aborted
		_ = c.wire.Close()
		c.settle()
	}
}

// Close ends the connection at once, without a last frame.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abort()
}

// Open tells whether c takes frames.
func (c *Conn) Open() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == open
}

// Queued gives the number of frames that wait for the client.
func (c *Conn) Queued() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queued
}

// Drain ignores what the client sends, and ends the connection when the client leaves. Once it has ended,
// whoever ended it, and nobody writes to it any more, ended is called, once: with c locked, so it must not use c
// nor wait for anybody who does. Drain returns at once and is called once. p waits for the client; what p cannot
// wait for has a goroutine.
func (c *Conn) Drain(p *Poller, ended func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = ended
	switch {
	case c.state == aborted:
		c.settle()
	case !p.add(c):
		go c.read()
	}
}

// read is the goroutine of a connection that no Poller has.
func (c *Conn) read() {
	var buf [64]byte
	for c.extra <= maxExtra {
		n, err := c.conn.Read(buf[:])
		if err != nil {
			break
		}
		c.extra += n
	}
	c.Close()
}

// settle is called whenever the connection may have ended for good.
func (c *Conn) settle() {
	if c.state != aborted || c.writing || c.ended == nil {
		return
	}
	if c.poller != nil {
		c.poller.remove(c)
	}
	ended := c.ended
	c.ended = nil
	ended()
}

// Wait returns when nobody writes to an ended connection any more.
func (c *Conn) Wait() { c.writers.Wait() }

// abort closes the connection without a last frame; a writer that is under way fails.
func (c *Conn) abort() {
	if c.state == aborted {
		return
	}
	c.state = aborted
	c.waiting = nil
	discard(c.wire)
	c.settle()
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
