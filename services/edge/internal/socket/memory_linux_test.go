package socket_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/conntest"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/topic"
)

// BenchmarkIdleSockets tells what an idle socket costs in resident memory, through a real server: Hub's, and
// one of the library as its documentation has it. The clients are bare sockets, which cost the process
// nothing but a descriptor. Each has sent a pong.
func BenchmarkIdleSockets(b *testing.B) {
	b.Run("against=library/impl=baseline", func(b *testing.B) {
		var open atomic.Int64
		idle(b, func() int { return int(open.Load()) }, func(w http.ResponseWriter, r *http.Request) {
			open.Add(1)
			defer open.Add(-1)
			c, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			ctx := c.CloseRead(context.Background())
			_ = c.Write(ctx, websocket.MessageText, []byte("hello"))
			<-ctx.Done()
		})
	})
	b.Run("against=library/impl=hub", func(b *testing.B) {
		e := start(b, socket.Deps{})
		idle(b, func() int { return e.Stats().Open }, func(w http.ResponseWriter, r *http.Request) {
			r = r.WithContext(auth.With(r.Context(), portal))
			if f := e.Serve(w, r, r.URL.Query().Get("user"), topic.Inbox); f != nil {
				b.Errorf("no socket: %+v", f)
			}
		})
	})
}

func idle(b *testing.B, open func() int, handler http.HandlerFunc) {
	const sockets = 4_000
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatalf("listen: %v", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	defer func() { _ = server.Close() }()
	port := l.Addr().(*net.TCPAddr).Port
	for b.Loop() {
		before, goroutines := conntest.Resident(b), runtime.NumGoroutine()
		fds := make([]int, 0, sockets)
		for i := range sockets {
			fds = append(fds, bareClient(b, port, fmt.Sprint("/message-hub/ws?user=user-", i)))
		}
		eventually(b, "all sockets are open", func() bool { return open() == sockets })
		b.ReportMetric(float64(conntest.Resident(b)-before)/sockets/1024, "KiB/socket")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/sockets, "goroutines/socket")
		for _, fd := range fds {
			_ = syscall.Close(fd)
		}
		eventually(b, "all sockets are gone", func() bool { return open() == 0 })
	}
}

// bareClient opens a socket and sends a pong.
func bareClient(b *testing.B, port int, target string) (fd int) {
	b.Helper()
	fd = conntest.Get(b, port, target,
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n")
	conntest.Write(b, fd, "\x8a\x80\x00\x00\x00\x00")
	return fd
}
