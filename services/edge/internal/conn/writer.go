package conn

import (
	"errors"
	"os"
	"time"
)

// send writes or queues a frame. It is false when the connection has ended or ends now.
func (c *Conn) send(frame []byte) bool {
	if c.state != open {
		return false
	}
	rest, ok := c.attempt(frame, false)
	switch {
	case !ok:
		c.abort()
		return false
	case len(rest) == 0:
		return true
	case c.queued >= maxQueued || len(c.waiting)+len(rest) > maxQueuedBytes:
		c.slow.Add(1)
		if len(c.late) == 0 {
			c.abort()
			return false
		}
		c.enqueue(rest) // TLS counts what it has sealed
		c.finish(c.late)
		return false
	}
	c.enqueue(rest)
	return true
}

// attempt writes what the kernel takes at once and gives the rest; ok is false when the connection
// is broken. Behind a writer it takes nothing, for the order. Nothing may follow the last frame.
func (c *Conn) attempt(frame []byte, last bool) (rest []byte, ok bool) {
	if c.shim != nil {
		return c.attemptSealed(frame, last)
	}
	if c.writing || c.raw == nil {
		return frame, true
	}
	n, err := tryWrite(c.raw, frame)
	return frame[n:], err == nil
}

func (c *Conn) enqueue(frame []byte) {
	c.waiting = append(c.waiting, frame...)
	c.queued++
	if !c.writing {
		c.writing = true
		c.writers.Go(c.write)
	}
}

// write takes what waits until nothing does.
func (c *Conn) write() {
	for {
		part, frames := c.next()
		if frames == 0 {
			return
		}
		_, err := c.wire.Write(part)
		c.wrote(frames, err)
	}
}

// next takes all that waits and sets the deadline for it. With nothing left the writer is over, and so is a
// connection that ends.
func (c *Conn) next() (part []byte, frames int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == open && c.queued == 0 {
		c.fetch()
	}
	if c.state != aborted && c.queued > 0 {
		part, c.waiting = c.waiting, nil
		_ = c.wire.SetWriteDeadline(time.Now().Add(writeTimeout))
		return part, c.queued
	}
	c.writing = false
	if c.state == ending {
		c.state = aborted
		_ = c.wire.Close()
	}
	_ = c.wire.SetWriteDeadline(time.Time{})
	c.settle()
	return nil, 0
}

// fetch lets the next piece of the backlog wait, if there is one.
func (c *Conn) fetch() {
	piece := c.pull()
	if c.shim != nil && len(piece) > 0 {
		rest, ok := c.attemptSealed(piece, false)
		if !ok {
			c.abort()
			return
		}
		piece = rest
	}
	if c.waiting = piece; len(piece) > 0 {
		c.queued = 1
	}
}

// pull gives the next piece of the backlog. When nothing is left, live frames are sent.
func (c *Conn) pull() []byte {
	if c.backlog == nil {
		return nil
	}
	piece, live, ok := c.backlog.Next()
	switch {
	case !ok:
		c.slow.Add(1)
		c.abort()
		return nil
	case len(piece) == 0:
		c.from, c.backlog = live, nil
	}
	return piece
}

func (c *Conn) wrote(frames int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queued -= frames
	if err == nil || c.state == aborted {
		return
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.slow.Add(1)
	}
	c.abort()
}
