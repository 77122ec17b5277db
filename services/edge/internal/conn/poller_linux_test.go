package conn_test

import (
	"io"
	"net"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/hub/services/edge/internal/conn"
)

// patience bounds every wait; only a broken Poller uses it up.
const patience = 20 * time.Second

// held is a Conn over TCP.
type held struct {
	*conn.Conn
	client, server *net.TCPConn
	slow           atomic.Uint64
	ended          chan struct{} // is closed by what Drain calls; a second time would panic
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// connect gives a Conn that is started, and not drained yet. It is for one goroutine of each listener.
func connect(l net.Listener) (*held, error) {
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return nil, err
	}
	server, err := l.Accept()
	if err != nil {
		_ = client.Close()
		return nil, err
	}
	h := &held{client: client.(*net.TCPConn), server: server.(*net.TCPConn), ended: make(chan struct{})}
	h.Conn = conn.New(server, &h.slow)
	h.Start(nil, 0, func() bool { return true })
	return h, nil
}

func mustConnect(t *testing.T, l net.Listener) *held {
	t.Helper()
	h, err := connect(l)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(h.leave)
	return h
}

func (h *held) leave() {
	_ = h.client.Close()
	h.Close()
}

func (h *held) drain(p *conn.Poller) { h.Drain(p, func() { close(h.ended) }) }

// over tells whether the connection ends in time.
func (h *held) over() bool {
	select {
	case <-h.ended:
		return !h.Open()
	case <-time.After(patience):
		return false
	}
}

// lives tells whether the client gets a frame.
func (h *held) lives() bool {
	if !h.Send([]byte("frame"), 0) {
		return false
	}
	got := make([]byte, len("frame"))
	_ = h.client.SetReadDeadline(time.Now().Add(patience))
	_, err := io.ReadFull(h.client, got)
	return err == nil && string(got) == "frame"
}

// fill sends frames, which the client does not read, until one waits or, with enough, until none is taken.
func (h *held) fill(enough bool) {
	for frame := make([]byte, 8<<10); h.Send(frame, 0) && (enough || h.Queued() == 0); {
	}
}

// ways are how a connection ends.
var ways = map[string]func(*held){
	"the client closes":                         func(h *held) { _ = h.client.Close() },
	"the client half-closes":                    func(h *held) { _ = h.client.CloseWrite() },
	"the client resets":                         func(h *held) { _ = h.client.SetLinger(0); _ = h.client.Close() },
	"the client says a last word":               func(h *held) { _, _ = h.client.Write([]byte("bye")); _ = h.client.Close() },
	"the client says too much":                  func(h *held) { _, _ = h.client.Write(make([]byte, 4<<10+1)) },
	"the client reads too slowly":               func(h *held) { h.fill(true) },
	"the server ends it":                        func(h *held) { h.End([]byte("last"), nil) },
	"the server closes it":                      func(h *held) { h.Close() },
	"both close it":                             func(h *held) { go h.Close(); _ = h.client.Close() },
	"the client closes, and something waits":    func(h *held) { h.fill(false); _ = h.client.Close() },
	"the server closes it, and something waits": func(h *held) { h.fill(false); h.Close() },
	"the server ends it, and something waits": func(h *held) {
		h.fill(false)
		h.End([]byte("last"), nil)
		_, _ = io.Copy(io.Discard, h.client)
	},
}

func TestDrainTellsOfTheEnd(t *testing.T) {
	var polls, closed conn.Poller
	t.Cleanup(polls.Close)
	closed.Close()
	l := listen(t)
	for name, end := range ways {
		t.Run(name, func(t *testing.T) {
			for who, p := range map[string]*conn.Poller{"a poller": &polls, "a goroutine": &closed} {
				during, before := mustConnect(t, l), mustConnect(t, l)
				during.drain(p)
				if !during.lives() {
					t.Fatalf("with %s the connection does not live", who)
				}
				end(during)
				if !during.over() {
					t.Errorf("%s does not tell", who)
				}
				end(before)
				before.drain(p)
				if !before.over() {
					t.Errorf("%s that comes later does not tell", who)
				}
			}
		})
	}
}

func TestIdleConnectionsHaveNoGoroutine(t *testing.T) {
	var p conn.Poller
	t.Cleanup(p.Close)
	l := listen(t)
	before := runtime.NumGoroutine()
	for range 50 {
		mustConnect(t, l).drain(&p)
	}
	if n := runtime.NumGoroutine() - before; n > 1 {
		t.Errorf("%d goroutines wait for 50 clients, want 1", n)
	}
}

// unread tells whether bytes have arrived that nobody has read.
func (h *held) unread(t *testing.T) bool {
	t.Helper()
	socket, err := h.server.SyscallConn()
	if err != nil {
		t.Fatalf("socket: %v", err)
	}
	var n int
	if err := socket.Control(func(fd uintptr) {
		n, _, _ = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	}); err != nil {
		t.Fatalf("socket: %v", err)
	}
	return n > 0
}

func TestWhatTheClientSendsIsIgnored(t *testing.T) {
	var p conn.Poller
	t.Cleanup(p.Close)
	h := mustConnect(t, listen(t))
	h.drain(&p)
	for range 4 {
		if _, err := h.client.Write(make([]byte, 1<<10)); err != nil {
			t.Fatalf("write: %v", err)
		}
		for late := time.Now().Add(patience); h.unread(t); runtime.Gosched() {
			if time.Now().After(late) {
				t.Fatal("the bytes are not read")
			}
		}
		if !h.lives() {
			t.Fatal("4 KiB end the connection")
		}
	}
	if _, err := h.client.Write([]byte{0}); err != nil {
		t.Fatalf("write: %v", err)
	}
	if !h.over() {
		t.Error("more than 4 KiB do not end the connection")
	}
}

// deaf drops all that comes to a socket before TCP sees it, so that its side is as good as dead.
var deaf = []syscall.SockFilter{{Code: syscall.BPF_RET | syscall.BPF_K, K: 0}}

// TestDeadPeersEndTheirConnections has clients vanish without a word. The kernel's times are shortened.
func TestDeadPeersEndTheirConnections(t *testing.T) {
	var p conn.Poller
	t.Cleanup(p.Close)
	l := listen(t)
	written, silent := mustConnect(t, l), mustConnect(t, l)
	for _, h := range []*held{written, silent} {
		if err := h.server.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: time.Second, Interval: time.Second, Count: 1}); err != nil {
			t.Fatalf("keep alive: %v", err)
		}
		patient(t, h.server, 500*time.Millisecond)
		deafen(t, h.client)
		h.drain(&p)
	}
	if !written.Send([]byte("frame"), 0) {
		t.Fatal("the frame is not taken")
	}
	if !written.over() {
		t.Error("a dead client that is written to is not noticed")
	}
	if !silent.over() {
		t.Error("a dead client is not noticed by probes")
	}
}

func deafen(t *testing.T, c *net.TCPConn) {
	t.Helper()
	socket, err := c.SyscallConn()
	if err == nil {
		//nolint:staticcheck // the package that it names makes filters and sets none
		_ = socket.Control(func(fd uintptr) { err = syscall.AttachLsf(int(fd), deaf) })
	}
	if err != nil {
		t.Fatalf("filter: %v", err)
	}
}

// patient sets TCP_USER_TIMEOUT.
func patient(t *testing.T, c *net.TCPConn, d time.Duration) {
	t.Helper()
	socket, err := c.SyscallConn()
	if err == nil {
		_ = socket.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, 0x12, int(d.Milliseconds()))
		})
	}
	if err != nil {
		t.Fatalf("user timeout: %v", err)
	}
}
