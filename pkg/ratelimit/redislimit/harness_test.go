package redislimit_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/ratelimit/redislimit"
	"example.com/hub/pkg/redis/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cable is the way to a real Redis, which a test can cut.
type cable struct {
	mu sync.Mutex
	// broken refuses connections; silent takes them and never answers.
	broken, silent bool
	conns          []net.Conn
}

var errBroken = errors.New("the cable is broken")

// set breaks or mends the cable; connections that stand are cut.
func (c *cable) set(broken, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken, c.silent = broken, silent
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}

func (c *cable) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return nil, errBroken
	}
	if c.silent {
		conn, far := net.Pipe()
		c.conns = append(c.conns, conn, far)
		return conn, nil
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, address)
	if err == nil {
		c.conns = append(c.conns, conn)
	}
	return conn, err
}

// newClient makes a client as a service does, on a cable.
func newClient(t testing.TB) (redis.UniversalClient, *cable) {
	t.Helper()
	o, err := redis.ParseURL(redistest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{}
	o.Dialer = c.dial
	o.ContextTimeoutEnabled = true
	o.Protocol = 2
	client := redis.NewClient(o)
	t.Cleanup(func() {
		c.set(false, false)
		_ = client.Close()
	})
	return client, c
}

// name keeps the tests apart.
func name() string { return "test-" + rand.Text() }

// newStore makes a store with keys of its own.
func newStore(t testing.TB) *redislimit.Store {
	t.Helper()
	client, _ := newClient(t)
	return redislimit.New(client, name())
}

// take takes from the writes of erp.
func take(t *testing.T, s *redislimit.Store, l ratelimit.Limit, cost int) ratelimit.Taken {
	t.Helper()
	a, err := s.Take(t.Context(), "erp", ratelimit.Writes, l, cost)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// patience bounds what takes long only when it is broken.
const patience = 10 * time.Second
