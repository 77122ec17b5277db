package crowd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Badges are many clients of WebSockets, one user each, that know the count which they were told last. A
// client is a bare connection with a small buffer.
type Badges struct {
	conns   []net.Conn
	unread  []atomic.Int64 // -1 before the first count
	readers sync.WaitGroup
}

// Watch connects the first n users, and waits until each has its first count.
func Watch(ctx context.Context, addr, token string, n int) (*Badges, error) {
	b := &Badges{conns: make([]net.Conn, n), unread: make([]atomic.Int64, n)}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%d sockets did not open in %v", n, patience))
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var next atomic.Int64
	var dialers sync.WaitGroup
	for range min(atOnce, n) {
		dialers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := b.open(ctx, i, addr, token); err != nil {
					fail(fmt.Errorf("open the socket of %s: %w", User(i), err))
				}
			}
		})
	}
	dialers.Wait()
	if ctx.Err() == nil {
		_, err := b.Until(ctx, func(unread int64) bool { return unread >= 0 })
		if err == nil {
			return b, nil
		}
	}
	b.Leave()
	return nil, context.Cause(ctx)
}

func (b *Badges) open(ctx context.Context, i int, addr, token string) error {
	b.unread[i].Store(-1)
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	b.conns[i] = conn
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetReadDeadline(deadline)
	}
	request := "GET /message-hub/ws?user=" + User(i) + " HTTP/1.1\r\nHost: " + addr + "\r\nAuthorization: Bearer " + token +
		"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	if _, err := io.WriteString(conn, request); err != nil {
		return err
	}
	in := bufio.NewReaderSize(conn, 512)
	head, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	if !strings.HasPrefix(head, "HTTP/1.1 101 ") {
		return fmt.Errorf("the server answered %q", head)
	}
	for line := head; line != "\r\n"; {
		if line, err = in.ReadString('\n'); err != nil {
			return err
		}
	}
	_ = conn.SetReadDeadline(time.Time{})
	b.readers.Go(func() { b.read(i, conn, in) })
	return nil
}

// The first bytes of frames: a whole text, and a ping (RFC 6455, section 5.2).
const (
	textFrame = 0x81
	pingFrame = 0x89
)

// read keeps the counts until the connection ends, and answers pings. Every message of these is short.
func (b *Badges) read(i int, conn net.Conn, in *bufio.Reader) {
	var head [2]byte
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return
		}
		text, err := in.Peek(int(head[1]))
		if err != nil {
			return
		}
		switch head[0] {
		case textFrame:
			if _, rest, ok := bytes.Cut(text, []byte(`"unread":`)); ok {
				digits, _, _ := bytes.Cut(rest, []byte(","))
				if n, err := strconv.ParseInt(string(digits), 10, 64); err == nil {
					b.unread[i].Store(n)
				}
			}
		case pingFrame:
			_, _ = conn.Write([]byte{0x8a, 0x80, 0, 0, 0, 0})
		}
		if _, err := in.Discard(int(head[1])); err != nil {
			return
		}
	}
}

// Until waits until every client was told a count that is right, and tells when that was.
func (b *Badges) Until(ctx context.Context, right func(unread int64) bool) (time.Time, error) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for at := 0; ; {
		for at < len(b.unread) && right(b.unread[at].Load()) {
			at++
		}
		if at == len(b.unread) {
			return time.Now(), nil
		}
		select {
		case <-tick.C:
		case <-late:
			return time.Time{}, fmt.Errorf("%s was told %d, which is wrong", User(at), b.unread[at].Load())
		case <-ctx.Done():
			return time.Time{}, context.Cause(ctx)
		}
	}
}

// Leave ends all connections.
func (b *Badges) Leave() {
	for _, conn := range b.conns {
		if conn != nil {
			_ = conn.Close()
		}
	}
	b.readers.Wait()
}
