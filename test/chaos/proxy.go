package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// proxy stands between processes and a server, and can be a bad network.
type proxy struct {
	listener        net.Listener
	network, target string
	// answers copies from the server; nil is io.Copy.
	answers func(to io.Writer, from io.Reader) error
	serving sync.WaitGroup

	mu    sync.Mutex
	open  chan struct{} // closed unless the proxy stalls
	links map[*link]struct{}
}

// link is one connection through a proxy.
type link struct {
	proxy          *proxy
	client, server net.Conn
	closed         chan struct{}
	close          func()

	mu        sync.Mutex
	abandoned bool
}

// newProxy listens on a free TCP port of this machine in front of a server.
func newProxy(ctx context.Context, network, target string, answers func(io.Writer, io.Reader) error) (*proxy, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("proxy of %s: %w", target, err)
	}
	open := make(chan struct{})
	close(open)
	p := &proxy{
		listener: l, network: network, target: target, answers: answers,
		open: open, links: map[*link]struct{}{},
	}
	p.serving.Go(func() { p.accept(context.WithoutCancel(ctx)) })
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// stop ends the proxy with all its connections.
func (p *proxy) stop() {
	_ = p.listener.Close()
	p.cut()
	p.serving.Wait()
}

// stall keeps back whatever is sent from now on, on present connections and new ones, like a network
// that loses every packet. Nobody is told.
func (p *proxy) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
		p.open = make(chan struct{})
	default:
	}
}

// heal ends a stall: what was kept back is forwarded, as TCP sends it again.
func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.open:
	default:
		close(p.open)
	}
}

// abandon forgets the present connections, like a firewall that restarted: they never carry another
// byte, and nobody is told. New ones work.
func (p *proxy) abandon() {
	for _, l := range p.all() {
		l.mu.Lock()
		l.abandoned = true
		l.mu.Unlock()
	}
}

// cut closes the present connections. What was kept back of them is lost.
func (p *proxy) cut() {
	for _, l := range p.all() {
		l.close()
	}
}

func (p *proxy) all() []*link {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]*link, 0, len(p.links))
	for l := range p.links {
		all = append(all, l)
	}
	return all
}

func (p *proxy) accept(ctx context.Context) {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.serving.Go(func() { p.serve(ctx, conn) })
	}
}

func (p *proxy) serve(ctx context.Context, client net.Conn) {
	server, err := new(net.Dialer).DialContext(ctx, p.network, p.target)
	if err != nil {
		reset(client)
		return
	}
	l := &link{proxy: p, client: client, server: server, closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() {
		close(l.closed)
		reset(client)
		reset(server)
	})
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.mu.Unlock()
	defer func() {
		l.close()
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()

	answers := p.answers
	if answers == nil {
		answers = func(to io.Writer, from io.Reader) error { _, err := io.Copy(to, from); return err }
	}
	var both sync.WaitGroup
	both.Go(func() { defer l.close(); _, _ = io.Copy(gate{l, server}, client) })
	both.Go(func() { defer l.close(); _ = answers(gate{l, client}, server) })
	both.Wait()
}

// reset closes a connection so that the other side notices an error and not the end.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// gate writes when the link lets it through.
type gate struct {
	link *link
	to   io.Writer
}

var errCut = errors.New("the connection was cut")

func (g gate) Write(b []byte) (int, error) {
	if !g.link.pass() {
		return 0, errCut
	}
	return g.to.Write(b)
}

// pass waits for the end of a stall. It is false when the link was closed.
func (l *link) pass() bool {
	for {
		l.proxy.mu.Lock()
		open := l.proxy.open
		l.proxy.mu.Unlock()
		l.mu.Lock()
		if l.abandoned {
			open = nil
		}
		l.mu.Unlock()
		select {
		case <-l.closed:
			return false
		case <-open:
			return true
		}
	}
}
