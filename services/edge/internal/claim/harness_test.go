package claim_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"example.com/hub/pkg/redis"
	"example.com/hub/pkg/redis/redistest"
	"example.com/hub/services/edge/internal/claim"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
)

// patience bounds every wait; only broken claims use it up.
const patience = 20 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// address is the server to test with. The database is one that nobody else uses, since tests empty
// it.
func address(t *testing.T) *url.URL {
	t.Helper()
	u, err := url.Parse(redistest.URL(t))
	if err != nil {
		t.Fatalf("HUB_TEST_REDIS: %v", err)
	}
	query := u.Query()
	query.Set("db", "15")
	u.RawQuery = query.Encode()
	return u
}

func newClient(t *testing.T, u *url.URL) redis.Client {
	t.Helper()
	c, err := redis.NewClient(u.String())
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// newName gives a name that no other test uses.
func newName() string { return "test-" + rand.Text() }

// newClaims makes claims with names of their own, where d has none.
func newClaims(t *testing.T, d claim.Deps) *claim.Redis {
	t.Helper()
	if d.Client == nil {
		d.Client = newClient(t, address(t))
	}
	if d.Name == "" {
		d.Name = newName()
	}
	if d.TTL == 0 {
		d.TTL = time.Minute
	}
	d.Logger = slog.New(slog.DiscardHandler)
	r, err := claim.New(d)
	if err != nil {
		t.Fatalf("new claims: %v", err)
	}
	return r
}

func eventually(t *testing.T, what string, ok func() bool) {
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

// proxy stands between a client and Redis. It can close all connections, or stop to forward without
// closing anything, as a firewall does that forgot them.
type proxy struct {
	network, backend string
	listener         net.Listener
	served           sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
	deaf  *switcher // of the present connections
	down  bool      // connections are closed at once
}

// switcher is a bool that can be waited for.
type switcher struct{ on chan struct{} }

func newProxy(t *testing.T) (p *proxy, u *url.URL) {
	t.Helper()
	u = address(t)
	o, err := goredis.ParseURL(u.String())
	if err != nil {
		t.Fatalf("HUB_TEST_REDIS: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	p = &proxy{network: o.Network, backend: o.Addr, listener: l, deaf: &switcher{make(chan struct{})}}
	p.served.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.reset()
		p.served.Wait()
	})
	return p, &url.URL{Scheme: "redis", User: u.User, Host: l.Addr().String(), Path: "/15"}
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.backend)
		p.mu.Lock()
		if err != nil || p.down {
			_ = client.Close()
			if err == nil {
				_ = server.Close()
			}
		} else {
			p.conns = append(p.conns, client, server)
			deaf := p.deaf
			p.served.Go(func() { forward(server, client, deaf) })
			p.served.Go(func() { forward(client, server, deaf) })
		}
		p.mu.Unlock()
	}
}

func forward(dst io.WriteCloser, src io.Reader, deaf *switcher) {
	defer func() { _ = dst.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if err != nil {
			return
		}
		select {
		case <-deaf.on:
			continue
		default:
		}
		if _, err := dst.Write(buf[:n]); err != nil {
			return
		}
	}
}

// forget makes the present connections half-open; new ones work.
func (p *proxy) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.deaf.on)
	p.deaf = &switcher{make(chan struct{})}
}

// reset closes the present connections.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// setDown closes all connections, present and new ones, or lets new ones pass again.
func (p *proxy) setDown(down bool) {
	p.mu.Lock()
	p.down = down
	p.mu.Unlock()
	if down {
		p.reset()
	}
}

// silence is a source without events.
type silence struct{}

func (silence) Subscribe(stream.Handler) (cancel func()) { return func() {} }

// newBroker makes a replica that runs until the test is over.
func newBroker(t *testing.T, d stream.Deps) *stream.Broker {
	t.Helper()
	d.Events = silence{}
	d.MaxStreams = 10_000
	d.ResumeWindow, d.ResumeMemory = time.Second, 1<<20
	d.Logger = slog.New(slog.DiscardHandler)
	b, err := stream.New(d)
	if err != nil {
		t.Fatalf("new broker: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	t.Cleanup(func() {
		shut, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := b.Shutdown(shut); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return b
}

// takeover is a response writer whose connection is one end of a pipe.
type takeover struct {
	httptest.ResponseRecorder
	conn net.Conn
}

func (w *takeover) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.conn, nil, nil }

// client is a user's connection; ended is closed with it.
type client struct {
	conn  net.Conn
	ended chan struct{}
}

func connect(t *testing.T, b *stream.Broker, user string) *client {
	t.Helper()
	near, far := net.Pipe()
	c := &client{conn: near, ended: make(chan struct{})}
	go func() {
		_, _ = io.Copy(io.Discard, near)
		_ = near.Close()
		close(c.ended)
	}()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/message-hub/stream", nil)
	if err := b.Serve(&takeover{conn: far}, r, user, topic.Inbox); err != nil {
		t.Errorf("serve: %v", err)
	}
	return c
}

func (c *client) open() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}
