package stream_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/hub/services/edge/internal/sse/ssetest"
)

// client is one connection that reads a stream.
type client struct {
	net.Conn
	r *bufio.Reader
}

// dial asks for the user's stream and reads nothing yet.
func (e *edge) dial(t *testing.T, user string) *client {
	t.Helper()
	return ask(t, e.connect(t), user, "")
}

// connect opens a connection that the test closes.
func (e *edge) connect(t *testing.T) net.Conn {
	t.Helper()
	conn, err := e.reach()
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// reach opens a connection that the caller closes.
func (e *edge) reach() (net.Conn, error) {
	address := e.server.Listener.Addr().String()
	if e.server.TLS == nil {
		return net.Dial("tcp", address)
	}
	config := e.server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com"
	return tls.Dial("tcp", address, config)
}

// socket is the TCP connection of a client, below its TLS if there is any.
func (c *client) socket() *net.TCPConn {
	if secure, ok := c.Conn.(*tls.Conn); ok {
		return secure.NetConn().(*net.TCPConn)
	}
	return c.Conn.(*net.TCPConn)
}

// ask sends the request; more is put behind the user and may hold headers, too.
func ask(t *testing.T, conn net.Conn, user, more string) *client {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatalf("set deadline: %v", err)
	}
	query, headers, _ := strings.Cut(more, "\n")
	_, err := fmt.Fprintf(conn, "GET /message-hub/stream?user=%s%s HTTP/1.1\r\nHost: hub\r\n%s\r\n", url.QueryEscape(user), query, headers)
	if err != nil {
		t.Fatalf("ask for a stream: %v", err)
	}
	return &client{Conn: conn, r: bufio.NewReader(conn)}
}

// open asks for the user's stream and reads up to its first events.
func (e *edge) open(t *testing.T, user string) *client {
	t.Helper()
	return e.openWith(t, user, "")
}

// resume opens the user's stream for a client that saw an event last.
func (e *edge) resume(t *testing.T, user, lastID string) *client {
	t.Helper()
	return e.openWith(t, user, "\nLast-Event-ID: "+lastID+"\r\n")
}

func (e *edge) openWith(t *testing.T, user, more string) *client {
	t.Helper()
	c := ask(t, e.connect(t), user, more)
	c.readHead(t)
	if got := c.line(t); got != "retry: 3000\n" {
		t.Fatalf("stream starts with %q, want a retry of 3000", got)
	}
	return c
}

// readHead reads up to the first chunk.
func (c *client) readHead(t *testing.T) {
	t.Helper()
	status := c.line(t)
	if status != "HTTP/1.1 200 OK\r\n" {
		t.Fatalf("status line = %q", status)
	}
	chunked := false
	for line := ""; line != "\r\n"; {
		line = c.line(t)
		chunked = chunked || line == "Transfer-Encoding: chunked\r\n"
	}
	if !chunked {
		t.Fatal("the stream is not chunked")
	}
	c.r = bufio.NewReader(httputil.NewChunkedReader(c.r))
}

func (c *client) line(t *testing.T) string {
	t.Helper()
	line, err := c.r.ReadString('\n')
	if err != nil {
		t.Fatalf("read %q and then: %v", line, err)
	}
	return line
}

// frame reads up to the next empty line.
func (c *client) frame(t *testing.T) *ssetest.Stream {
	t.Helper()
	var frame strings.Builder
	for {
		line := c.line(t)
		frame.WriteString(line)
		if line == "\n" {
			return ssetest.Parse(frame.String())
		}
	}
}

// expect reads the next events, which must be of this kind and have these ids.
func (c *client) expect(t *testing.T, eventType string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		f := c.frame(t)
		if len(f.Events) != 1 || f.Events[0].Type != eventType || f.Events[0].LastEventID != id {
			t.Fatalf("heard %+v, want one %s %q", f.Events, eventType, id)
		}
	}
}

// expectEnd reads the rest, which must be a heartbeat with a reconnect time of at least low and below
// high, and then the last chunk.
func (c *client) expectEnd(t *testing.T, low, high time.Duration) {
	t.Helper()
	rest, err := io.ReadAll(c.r)
	if err != nil {
		t.Fatalf("read the end: %v", err)
	}
	f := ssetest.Parse(string(rest))
	wait, err := time.ParseDuration(f.Retry + "ms")
	if err != nil || wait < low || wait >= high || len(f.Events) != 1 || f.Events[0].Type != "heartbeat" ||
		strings.Count(string(rest), "\n\n") != 1 || !strings.HasSuffix(string(rest), "\n\n") {
		t.Fatalf("the stream ended with %q, want one heartbeat and a retry from %v to %v", rest, low, high)
	}
}
