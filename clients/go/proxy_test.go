package hub_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// proxy hands connections on to a server, and cuts them when it is told to.
type proxy struct {
	listener net.Listener
	server   string
	all      sync.WaitGroup

	mu   sync.Mutex
	open []net.Conn
}

// newProxy runs a proxy until the test is over.
func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: strings.TrimPrefix(server, "http://")}
	p.all.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut()
		p.all.Wait()
	})
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.open = append(p.open, client, server)
		p.mu.Unlock()
		p.all.Go(func() { relay(client, server) })
		p.all.Go(func() { relay(server, client) })
	}
}

func relay(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}

// cut ends all connections without a word.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
	p.open = nil
}
