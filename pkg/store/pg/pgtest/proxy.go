package pgtest

import (
	"bytes"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy stands between a store and the server and can lose an answer.
type Proxy struct {
	// network and address are those of the server.
	network, address string

	mu sync.Mutex
	// answer, when not empty, is what the answer to lose contains.
	answer string
	// meanwhile runs when an answer is lost, before the store learns that.
	meanwhile func()
}

// Through gives a proxy and the connection string that leads through it.
func Through(t testing.TB, dsn string) (*Proxy, string) {
	t.Helper()
	p := newProxy(t, dsn)
	listener := listen(t, "tcp", "127.0.0.1:0")
	go p.serve(listener)
	port := listener.Addr().(*net.TCPAddr).Port
	return p, With(With(With(dsn, "host", "127.0.0.1"), "port", strconv.Itoa(port)), "sslmode", "disable")
}

// Late gives a connection string at which nothing listens until start is called. It names a socket, since
// a free port may be somebody else's by then.
func Late(t testing.TB, dsn string) (start func(), late string) {
	t.Helper()
	p := newProxy(t, dsn)
	dir := t.TempDir()
	start = func() { go p.serve(listen(t, "unix", filepath.Join(dir, ".s.PGSQL.5432"))) }
	return start, With(With(dsn, "host", dir), "port", "5432")
}

func newProxy(t testing.TB, dsn string) *Proxy {
	t.Helper()
	server, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{}
	p.network, p.address = pgconn.NetworkAddress(server.Host, server.Port)
	return p
}

func listen(t testing.TB, network, address string) net.Listener {
	t.Helper()
	listener, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// Lose cuts the connection on which the next answer with the text comes, instead of the answer, and
// calls meanwhile before that shows.
func (p *Proxy) Lose(answer string, meanwhile func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer, p.meanwhile = answer, meanwhile
}

// losing tells whether to lose this answer; only one is.
func (p *Proxy) losing(answer []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answer == "" || !bytes.Contains(answer, []byte(p.answer)) {
		return false
	}
	p.answer = ""
	p.meanwhile()
	return true
}

func (p *Proxy) serve(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.address)
		if err != nil {
			_ = client.Close()
			continue
		}
		go relay(server, client, func([]byte) bool { return false })
		go relay(client, server, p.losing)
	}
}

// relay copies until either side ends or stop says so, and then ends both.
func relay(to, from net.Conn, stop func([]byte) bool) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil || stop(buf[:n]) {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
