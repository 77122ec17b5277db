package edge_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"testing"

	"example.com/hub/services/edge/openapi"
)

// shown is a listener that shows its connections to a test.
type shown struct {
	net.Listener
	conns chan net.Conn
}

func (s shown) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	if err == nil {
		s.conns <- c
	}
	return c, err
}

// TestSocketHoldsNoMoreThanAnAnswer has the begin of a large answer wait for what net/http has not gathered, through
// the whole edge, and the socket hold nothing back from then on.
func TestSocketHoldsNoMoreThanAnAnswer(t *testing.T) {
	const gathered = 4 << 10
	e := newEdge(t, &feed{})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, conns, served := e.NewServer(slog.New(slog.DiscardHandler)), make(chan net.Conn, 1), make(chan error, 1)
	go func() { served <- server.Serve(shown{l, conns}) }()
	defer func() {
		if err := errors.Join(server.Close(), e.Shutdown(t.Context())); err != nil || !errors.Is(<-served, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()

	ask := func(path string) (first int, length int64) {
		if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: hub\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		piece := make([]byte, 64<<10)
		first, err := c.Read(piece)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(piece[:first]), c)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		return first, answer.ContentLength
	}
	for range 20 {
		if first, length := ask("/openapi.yaml"); first <= gathered || length != int64(len(openapi.Document)) {
			t.Fatalf("%d bytes came first, of %d", first, length)
		}
	}
	ask("/nothing")
	socket, err := (<-conns).(*net.TCPConn).SyscallConn() //nolint:forcetypeassert // it is of TCP
	if err != nil {
		t.Fatal(err)
	}
	var corked int
	var failed error
	err = socket.Control(func(fd uintptr) {
		corked, failed = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_CORK)
	})
	if err = errors.Join(err, failed); err != nil || corked != 0 {
		t.Errorf("TCP_CORK is %d, %v", corked, err)
	}
}
