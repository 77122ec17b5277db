// Package crowd is many clients of event streams, one user each. A client is a bare connection with a
// small buffer that counts the events that arrive.
package crowd

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/test/bench/internal/load"
)

const (
	// atOnce is the number of clients that connect at one time.
	atOnce = 64
	// patience bounds the wait for what must come.
	patience = time.Minute
)

// Kind is what kind of event a client counts.
type Kind byte

// The first letters of the contract's words.
const (
	Message   Kind = 'm'
	Heartbeat Kind = 'h'
)

// Crowd is the clients.
type Crowd struct {
	conns []net.Conn
	// heard tells each client's message events to whoever waits; what nobody takes is dropped.
	heard   []chan time.Time
	waves   [2]atomic.Pointer[Wave]
	latest  [2]atomic.Int64 // nanoseconds since 1970
	readers sync.WaitGroup
}

// User is the name of a client's user.
func User(i int) string { return fmt.Sprintf("user-%06d", i) }

// Join connects users from first on, n of them, and waits until each has its stream.
func Join(ctx context.Context, addr, token string, first, n int) (*Crowd, error) {
	c := &Crowd{conns: make([]net.Conn, n), heard: make([]chan time.Time, n)}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%d streams did not open in %v", n, patience))
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var next atomic.Int64
	var dialers sync.WaitGroup
	for range min(atOnce, n) {
		dialers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := c.open(ctx, i, addr, User(first+i), token); err != nil {
					fail(fmt.Errorf("open the stream of %s: %w", User(first+i), err))
				}
			}
		})
	}
	dialers.Wait()
	if ctx.Err() != nil {
		c.Leave()
		return nil, context.Cause(ctx)
	}
	return c, nil
}

func (c *Crowd) open(ctx context.Context, i int, addr, user, token string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	c.conns[i], c.heard[i] = conn, make(chan time.Time, 4)
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetReadDeadline(deadline)
	}
	if _, err := conn.Write(load.Get(nil, "/message-hub/stream?user="+user, token)); err != nil {
		return err
	}
	// The header and the first frame, which says when to come back, may come in parts.
	var head []byte
	buf := make([]byte, 1024)
	for !bytes.Contains(head, []byte("retry: ")) {
		n, err := conn.Read(buf)
		if err != nil {
			return fmt.Errorf("%w after %q", err, head)
		}
		head = append(head, buf[:n]...)
	}
	if !strings.HasPrefix(string(head), "HTTP/1.1 200 ") {
		return fmt.Errorf("the server answered %q", head)
	}
	_ = conn.SetReadDeadline(time.Time{})
	c.readers.Go(func() { c.read(i, conn) })
	return nil
}

var mark = []byte("event: ")

// read counts events until the connection ends. An event's line may be cut between two reads.
func (c *Crowd) read(i int, conn net.Conn) {
	buf := make([]byte, 1024)
	kept := 0
	for {
		n, err := conn.Read(buf[kept:])
		if err != nil {
			return
		}
		data := buf[:kept+n]
		for {
			at := bytes.Index(data, mark)
			if at < 0 || at+len(mark) == len(data) {
				break
			}
			c.count(i, Kind(data[at+len(mark)]))
			data = data[at+len(mark)+1:]
		}
		data = data[max(0, len(data)-len(mark)):]
		kept = copy(buf, data)
	}
}

func (c *Crowd) count(i int, kind Kind) {
	now := time.Now()
	if kind == Message {
		select {
		case c.heard[i] <- now:
		default:
		}
	}
	c.latest[kind.place()].Store(now.UnixNano())
	if w := c.waves[kind.place()].Load(); w != nil && w.kind == kind {
		w.add(now)
	}
}

// Heard gives the times of the message events of client i.
func (c *Crowd) Heard(i int) <-chan time.Time { return c.heard[i] }

// Forget empties what Heard would give.
func (c *Crowd) Forget() {
	for _, heard := range c.heard {
		for len(heard) > 0 {
			<-heard
		}
	}
}

// Leave closes all connections and waits for their readers.
func (c *Crowd) Leave() {
	for _, conn := range c.conns {
		if conn != nil {
			_ = conn.Close()
		}
	}
	c.readers.Wait()
}

// waves has a place for each kind: the lowest bits of the two letters differ.
func (k Kind) place() int { return int(k & 1) }

// Wave is n events that arrive together.
type Wave struct {
	kind        Kind
	n           int64
	count       atomic.Int64
	first, last atomic.Int64 // nanoseconds since 1970
	complete    chan struct{}
}

// Calm waits until no crowd has got an event of a kind for some time.
func Calm(ctx context.Context, kind Kind, quiet time.Duration, crowds ...*Crowd) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("events went on for %v", patience))
	defer cancel()
	tick := time.NewTicker(quiet / 10)
	defer tick.Stop()
	for {
		var latest int64
		for _, c := range crowds {
			latest = max(latest, c.latest[kind.place()].Load())
		}
		if time.Since(time.Unix(0, latest)) >= quiet {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Expect begins to count events of a kind at all the crowds. Nothing of that kind may be on its way,
// which Calm can tell.
func Expect(kind Kind, n int, crowds ...*Crowd) *Wave {
	w := &Wave{kind: kind, n: int64(n), complete: make(chan struct{})}
	for _, c := range crowds {
		c.waves[kind.place()].Store(w)
	}
	return w
}

func (w *Wave) add(now time.Time) {
	w.first.CompareAndSwap(0, now.UnixNano())
	if w.count.Add(1) == w.n {
		w.last.Store(now.UnixNano())
		close(w.complete)
	}
}

// Wait waits for the last event, and gives the times of the first and the last.
func (w *Wave) Wait(ctx context.Context) (first, last time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-w.complete:
		return time.Unix(0, w.first.Load()), time.Unix(0, w.last.Load()), nil
	case <-ctx.Done():
		return time.Time{}, time.Time{}, fmt.Errorf("%d of %d events arrived: %w", w.count.Load(), w.n, ctx.Err())
	}
}
