package chaos

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/test/shape"
)

const (
	// probeEvery is how often the balancer asks an edge whether it is ready.
	probeEvery   = 500 * time.Millisecond
	probeTimeout = time.Second
)

// balancer spreads TCP connections over the edges that say that they are ready. It does not try
// another edge when one refuses, since what runs in front of pods does not either.
type balancer struct {
	listener net.Listener
	edges    []*backend
	serving  sync.WaitGroup
	cancel   context.CancelFunc
	next     atomic.Uint64
	// failed counts connections that no edge took.
	failed atomic.Int64
}

type backend struct {
	address shape.Address
	ready   atomic.Bool
}

func newBalancer(ctx context.Context, edges []shape.Address) (*balancer, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("balancer: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	b := &balancer{listener: l, cancel: cancel}
	for _, address := range edges {
		e := &backend{address: address}
		e.ready.Store(e.probe(ctx))
		b.edges = append(b.edges, e)
		b.serving.Go(func() { e.watch(ctx) })
	}
	b.serving.Go(func() { b.accept(ctx) })
	return b, nil
}

func (b *balancer) address() string { return b.listener.Addr().String() }

// stop ends the balancer with all its connections.
func (b *balancer) stop() {
	b.cancel()
	_ = b.listener.Close()
	b.serving.Wait()
}

func (e *backend) watch(ctx context.Context) {
	for lifecycle.Sleep(ctx, probeEvery) {
		e.ready.Store(e.probe(ctx))
	}
}

func (e *backend) probe(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.address.Admin+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func (b *balancer) accept(ctx context.Context) {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return
		}
		b.serving.Go(func() { b.serve(ctx, conn) })
	}
}

func (b *balancer) serve(ctx context.Context, client net.Conn) {
	edge := b.pick()
	if edge == nil {
		b.failed.Add(1)
		reset(client)
		return
	}
	server, err := new(net.Dialer).DialContext(ctx, "tcp", edge.address.Public)
	if err != nil {
		b.failed.Add(1)
		reset(client)
		return
	}
	defer context.AfterFunc(ctx, func() { reset(client); reset(server) })()
	var both sync.WaitGroup
	both.Go(func() { forward(server, client) })
	both.Go(func() { forward(client, server) })
	both.Wait()
	_ = client.Close()
	_ = server.Close()
}

// forward copies in one direction and passes on how that ended. A client that is gone takes the other
// direction with it.
func forward(to, from net.Conn) {
	// Hidden from io.Copy, which would take four descriptors for each of thousands of idle streams.
	_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 2048))
	if err != nil {
		reset(to)
		reset(from)
		return
	}
	_ = to.(*net.TCPConn).CloseWrite()
}

// pick gives the next edge that is ready, or nil.
func (b *balancer) pick() *backend {
	for range b.edges {
		e := b.edges[b.next.Add(1)%uint64(len(b.edges))]
		if e.ready.Load() {
			return e
		}
	}
	return nil
}
