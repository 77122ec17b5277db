package stream_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/stream"
)

// patience bounds every wait; only a broken broker uses it up.
const patience = 20 * time.Second

// feed is a bus that calls its one subscriber at once.
type feed struct {
	mu     sync.Mutex
	handle func([]bus.Event)
}

func (f *feed) Subscribe(handle func([]bus.Event)) (cancel func()) {
	f.set(handle)
	return func() { f.set(nil) }
}

func (f *feed) set(handle func([]bus.Event)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handle = handle
}

// heard tells whether anybody subscribes.
func (f *feed) heard() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.handle != nil
}

func (f *feed) publish(events ...bus.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.handle != nil {
		f.handle(events)
	}
}

func message(user, id string) bus.Event {
	return bus.Event{Kind: bus.Message, User: user, ID: id, Time: noon}
}

// edge is a broker behind a real HTTP server.
type edge struct {
	*stream.Broker
	bus    *feed
	server *httptest.Server
}

// newBroker makes a broker with settings for tests where d has none.
func newBroker(t testing.TB, d stream.Deps) (*stream.Broker, *feed) {
	t.Helper()
	f := &feed{}
	d.Events = f
	d.Logger = slog.New(slog.DiscardHandler)
	if d.Heartbeat == 0 {
		d.Heartbeat = time.Hour
	}
	if d.MaxStreams == 0 {
		d.MaxStreams = 100_000
	}
	b, err := stream.New(d)
	if err != nil {
		t.Fatalf("new broker: %v", err)
	}
	return b, f
}

// newEdge starts an edge, and stops it with the test, which must leave no goroutine behind.
func newEdge(t *testing.T, d stream.Deps) *edge {
	t.Helper()
	e := unstartedEdge(t, d)
	e.server.Start()
	return e
}

func unstartedEdge(t *testing.T, d stream.Deps) *edge {
	t.Helper()
	leaked := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaked) })
	e := &edge{}
	e.Broker, e.bus = newBroker(t, d)
	e.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := e.Serve(w, r, r.URL.Query().Get("user")); err != nil {
			t.Errorf("serve: %v", err)
		}
	}))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		e.server.Close()
	})
	return e
}

// client is one connection that reads a stream.
type client struct {
	net.Conn
	r *bufio.Reader
}

// dial asks for the user's stream and reads nothing yet.
func (e *edge) dial(t *testing.T, user string) *client {
	t.Helper()
	var conn net.Conn
	var err error
	if e.server.TLS == nil {
		conn, err = net.Dial("tcp", e.server.Listener.Addr().String())
	} else {
		config := e.server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		config.ServerName = "example.com"
		conn, err = tls.Dial("tcp", e.server.Listener.Addr().String(), config)
	}
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return ask(t, conn, user)
}

// ask sends the request.
func ask(t *testing.T, conn net.Conn, user string) *client {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatalf("set deadline: %v", err)
	}
	_, err := fmt.Fprintf(conn, "GET /message-hub/stream?user=%s HTTP/1.1\r\nHost: hub\r\n\r\n", url.QueryEscape(user))
	if err != nil {
		t.Fatalf("ask for a stream: %v", err)
	}
	return &client{Conn: conn, r: bufio.NewReader(conn)}
}

// open asks for the user's stream and reads up to its first events.
func (e *edge) open(t *testing.T, user string) *client {
	t.Helper()
	c := e.dial(t, user)
	c.readHead(t)
	if got := c.frame(t); got.retry != "3000" {
		t.Fatalf("stream starts with retry %q, want 3000", got.retry)
	}
	return c
}

func (c *client) readHead(t *testing.T) {
	t.Helper()
	status := c.line(t)
	if status != "HTTP/1.1 200 OK\r\n" {
		t.Fatalf("status line = %q", status)
	}
	for c.line(t) != "\r\n" {
	}
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
func (c *client) frame(t *testing.T) *parsed {
	t.Helper()
	var frame strings.Builder
	for {
		line := c.line(t)
		frame.WriteString(line)
		if line == "\n" {
			return parse(frame.String())
		}
	}
}

// expect reads the next events, which must be of this kind and have these ids.
func (c *client) expect(t *testing.T, eventType string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		f := c.frame(t)
		if len(f.events) != 1 || f.events[0].Type != eventType || f.events[0].LastEventID != id {
			t.Fatalf("heard %+v, want one %s %q", f.events, eventType, id)
		}
	}
}

// expectEnd reads the rest, which must be a reconnect time of at least low and below high.
func (c *client) expectEnd(t *testing.T, low, high time.Duration) {
	t.Helper()
	rest, err := io.ReadAll(c.r)
	if err != nil {
		t.Fatalf("read the end: %v", err)
	}
	f := parse(string(rest))
	if wait, err := time.ParseDuration(f.retry + "ms"); err != nil || wait < low || wait >= high || len(f.events) > 0 {
		t.Fatalf("the stream ended with %q, want a retry from %v to %v", rest, low, high)
	}
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-again.C:
		case <-late.C:
			t.Fatalf("still waiting until %s", what)
		}
	}
}

// takeover is a response writer whose connection is one end of a pipe.
type takeover struct {
	httptest.ResponseRecorder
	conn net.Conn
}

func (w *takeover) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.conn, nil, nil }

// serve makes conn the user's stream.
func serve(t testing.TB, b *stream.Broker, conn net.Conn, user string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/message-hub/stream", nil)
	if err := b.Serve(&takeover{conn: conn}, r, user); err != nil {
		t.Fatalf("serve: %v", err)
	}
}

// pipe opens the user's stream over a pipe, for tests with a fake clock.
func pipe(t *testing.T, b *stream.Broker, user string) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	serve(t, b, far, user)
	return near
}
