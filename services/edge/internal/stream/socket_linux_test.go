package stream_test

import (
	"net"
	"syscall"
	"testing"

	"example.com/hub/services/edge/internal/stream"
)

func TestDeadPeersAreGivenUp(t *testing.T) {
	accepted := make(chan net.Conn, 1)
	b, _ := newBroker(t, stream.Deps{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		c, _ := l.Accept()
		accepted <- c
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer func() { _ = c.Close() }()
	conn := <-accepted
	serve(t, b, conn, "alice")

	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatalf("socket: %v", err)
	}
	var timeout int
	if err := raw.Control(func(fd uintptr) {
		timeout, err = syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, 0x12)
	}); err != nil {
		t.Fatalf("socket: %v", err)
	}
	if err != nil || timeout != 30_000 {
		t.Errorf("TCP_USER_TIMEOUT = %d ms, %v, want 30000", timeout, err)
	}
	if err := b.Shutdown(t.Context()); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}
