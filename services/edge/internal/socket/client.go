package socket

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"example.com/hub/services/edge/internal/life"
	"example.com/hub/services/edge/internal/topic"
)

const (
	// maxUnanswered is how many pings a client may leave unanswered.
	maxUnanswered = 2
	// closeTimeout bounds what a client may still send when its socket is closed. The library waits 5 s for
	// the answer to a close, but without an end for the rest of a message.
	closeTimeout = 6 * time.Second
	// unknown is a count that was not told yet.
	unknown = -1
)

// client is one socket.
type client struct {
	user       *user
	link       *link
	ws         *websocket.Conn
	topics     topic.Set
	epoch      uint32 // in which it began
	login      life.Login
	opened     time.Time
	expiry     *time.Timer   // ends it with its token; nil when that does not
	slow       atomic.Uint64 // 1 when it ended since it was read too slowly
	unanswered atomic.Int32  // pings

	mu      sync.Mutex // held while the client is told something, for the order
	told    int64      // the count that it was told last, or unknown; 0 without the topic of the inbox
	ended   bool
	ending  Ending
	closing sync.WaitGroup // whoever closes it
}

// count tells the client its count, unless it knows, and whether it was told.
func (c *client) count(unread int64, text []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.inbox() || c.told == unread || !c.write(text) {
		return false
	}
	c.told = unread
	return true
}

// event tells the client of an event of its topics, unless it waits for its first count: with that it looks
// for itself.
func (c *client) event(kind Kind, text []byte) bool {
	if c.topics&kind.topic() == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told != unknown && c.write(text)
}

func (c *client) inbox() bool { return c.topics&topic.Inbox != 0 }

// write never waits, as conn does not.
func (c *client) write(text []byte) bool {
	return !c.ended && c.ws.Write(context.Background(), websocket.MessageText, text) == nil
}

// answered is called for pongs.
func (c *client) answered(context.Context, []byte) { c.unanswered.Store(0) }

// beat sends a ping, or ends the socket of a client that answers none.
func (c *client) beat() {
	if c.unanswered.Add(1) > maxUnanswered {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.ended {
			c.ended, c.ending = true, silent
			c.link.out.Close()
		}
		return
	}
	c.link.out.Send(ping, 0)
}

// end closes the socket, unless it ends already, and does not wait for the client's answer.
func (c *client) end(how Ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended, c.ending = true, how
	_ = c.link.SetReadDeadline(time.Now().Add(closeTimeout))
	c.closing.Go(func() { _ = c.ws.Close(closings[how].code, closings[how].reason) })
}

// read reads until the socket has ended, and tells how it did. What the client sends is never kept: the
// library answers pings, and the first data frame ends the socket.
func (c *client) read() Ending {
	if _, _, err := c.ws.Reader(context.Background()); err == nil {
		c.end(spoke)
	}
	c.mu.Lock()
	if !c.ended {
		c.ended = true
		if c.slow.Load() > 0 {
			c.ending = slow
		}
	}
	c.mu.Unlock()
	c.closing.Wait()
	_ = c.ws.CloseNow()
	c.link.out.Wait()
	return c.ending
}
