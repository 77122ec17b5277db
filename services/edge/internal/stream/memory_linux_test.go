package stream_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"example.com/hub/services/edge/internal/stream"
)

// BenchmarkIdleStreams tells what an idle stream costs in resident memory, through a real server.
// The clients are bare sockets, which cost the process nothing but a descriptor.
func BenchmarkIdleStreams(b *testing.B) {
	const streams = 8_000
	broker, _ := newBroker(b, stream.Deps{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatalf("listen: %v", err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := broker.Serve(w, r, r.URL.Query().Get("user")); err != nil {
			b.Errorf("serve: %v", err)
		}
	})}
	go func() { _ = server.Serve(l) }()
	port := l.Addr().(*net.TCPAddr).Port

	for b.Loop() {
		before := resident(b)
		fds := make([]int, 0, streams)
		for i := range streams {
			fds = append(fds, bareClient(b, port, fmt.Sprint("user-", i)))
		}
		eventually(b, "all streams are open", func() bool { return broker.Stats().Open == streams })
		b.ReportMetric(float64(resident(b)-before)/streams/1024, "KiB/stream")
		b.ReportMetric(float64(runtime.NumGoroutine())/streams, "goroutines/stream")
		for _, fd := range fds {
			_ = syscall.Close(fd)
		}
		eventually(b, "all streams are gone", func() bool { return broker.Stats().Open == 0 })
	}
	if err := broker.Shutdown(context.Background()); err != nil {
		b.Errorf("shutdown: %v", err)
	}
	_ = server.Close()
}

// resident is the memory of the process after a collection, in bytes.
func resident(b *testing.B) int {
	b.Helper()
	debug.FreeOSMemory()
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatalf("read statm: %v", err)
	}
	var total, pages int
	if _, err := fmt.Sscan(string(statm), &total, &pages); err != nil {
		b.Fatalf("parse statm: %v", err)
	}
	return pages * os.Getpagesize()
}

// bareClient asks for a stream and waits for the answer's first byte.
func bareClient(b *testing.B, port int, user string) (fd int) {
	b.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		b.Fatalf("socket: %v", err)
	}
	if err := syscall.Connect(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		b.Fatalf("connect: %v", err)
	}
	request := "GET /message-hub/stream?user=" + user + " HTTP/1.1\r\nHost: hub\r\nUser-Agent: " +
		strings.Repeat("x", 300) + "\r\nAuthorization: Bearer " + strings.Repeat("x", 900) + "\r\n\r\n"
	if _, err := syscall.Write(fd, []byte(request)); err != nil {
		b.Fatalf("write: %v", err)
	}
	if _, err := syscall.Read(fd, make([]byte, 1)); err != nil {
		b.Fatalf("read: %v", err)
	}
	return fd
}
