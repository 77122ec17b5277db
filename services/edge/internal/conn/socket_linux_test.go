package conn_test

import (
	"net"
	"sync/atomic"
	"syscall"
	"testing"

	"example.com/hub/services/edge/internal/conn"
)

func TestDeadPeersAreGivenUp(t *testing.T) {
	accepted := make(chan net.Conn, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		c, _ := l.Accept()
		accepted <- c
	}()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer func() { _ = client.Close() }()
	server := <-accepted
	defer conn.New(server, &atomic.Uint64{}).Close()

	raw, err := server.(*net.TCPConn).SyscallConn()
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
}
