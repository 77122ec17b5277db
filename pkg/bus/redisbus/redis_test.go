package redisbus_test

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/redis"
	"example.com/hub/pkg/redis/redistest"
)

func newClient(t *testing.T, address string) redis.Client {
	t.Helper()
	c, err := redis.NewClient(address)
	if err != nil {
		t.Fatalf("client: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close client: %v", err)
		}
	})
	return c
}

// channelName gives a name that no other test uses.
func channelName() string { return "{test-" + rand.Text() + "}" }

// newBus makes a bus that loses patience fast, and closes it with the test.
func newBus(t *testing.T, d redisbus.Deps) *redisbus.Bus {
	t.Helper()
	d.Logger = slog.New(slog.DiscardHandler)
	if d.Name == "" {
		d.Name = channelName()
	}
	b, err := redisbus.New(d)
	if err != nil {
		t.Fatalf("new bus: %v", err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	return b
}

// patience bounds every wait; only a broken bus uses it up.
const patience = 20 * time.Second

// listen hears a bus's channel without the bus.
func listen(t *testing.T, c redis.Client, name string) (next func() (payload string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	ps := c.Subscribe(ctx, name+":events")
	t.Cleanup(func() { _ = ps.Close() })
	if _, err := ps.ReceiveTimeout(ctx, patience); err != nil {
		t.Fatalf("subscribe: %v", err)
	}
	return func() string {
		t.Helper()
		m, err := ps.ReceiveTimeout(ctx, patience)
		if err != nil {
			t.Fatalf("receive: %v", err)
		}
		return m.(*goredis.Message).Payload
	}
}

// eventually waits until ok, or fails the test with what it is waiting for.
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

// proxy stands between a client and Redis and can stop forwarding without closing anything, as a
// firewall does that forgot its connections.
type proxy struct {
	network, backend string
	listener         net.Listener
	served           sync.WaitGroup

	mu    sync.Mutex
	deaf  chan struct{} // closed: connections that belong to it forward nothing
	blind bool          // new connections are deaf too
	conns []net.Conn
}

// newProxy gives a running proxy and the URL to reach it at.
func newProxy(t *testing.T) (p *proxy, address string) {
	t.Helper()
	o, err := goredis.ParseURL(redistest.URL(t))
	if err != nil {
		t.Fatalf("HUB_TEST_REDIS: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	p = &proxy{network: o.Network, backend: o.Addr, listener: l, deaf: make(chan struct{})}
	p.served.Go(p.accept)
	t.Cleanup(p.close)
	u := url.URL{Scheme: "redis", Host: l.Addr().String(), Path: "/" + strconv.Itoa(o.DB)}
	if o.Password != "" {
		u.User = url.UserPassword(o.Username, o.Password)
	}
	return p, u.String()
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.served.Wait()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.backend)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns = append(p.conns, client, server)
		deaf := p.deaf
		if p.blind {
			deaf = make(chan struct{})
			close(deaf)
		}
		p.mu.Unlock()
		p.served.Go(func() { forward(server, client, deaf) })
		p.served.Go(func() { forward(client, server, deaf) })
	}
}

// forward copies until a side closes; once deaf is closed it reads on and throws away.
func forward(dst io.WriteCloser, src io.Reader, deaf <-chan struct{}) {
	defer func() { _ = dst.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if err != nil {
			return
		}
		select {
		case <-deaf:
		default:
			if _, err := dst.Write(buf[:n]); err != nil {
				return
			}
		}
	}
}

// forget makes all present connections half-open; new ones work.
func (p *proxy) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.deaf)
	p.deaf = make(chan struct{})
}

// blackHole makes all present and future connections half-open until heal.
func (p *proxy) blackHole() {
	p.forget()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blind = true
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blind = false
}

// reset closes all present connections, as a restart of Redis does.
func (p *proxy) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}
