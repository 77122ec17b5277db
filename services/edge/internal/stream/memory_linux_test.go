package stream_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"syscall"
	"testing"

	"example.com/hub/services/edge/internal/conntest"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
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
		if err := broker.Serve(w, r, r.URL.Query().Get("user"), topic.Inbox); err != nil {
			b.Errorf("serve: %v", err)
		}
	})}
	go func() { _ = server.Serve(l) }()
	port := l.Addr().(*net.TCPAddr).Port

	for b.Loop() {
		before := conntest.Resident(b)
		fds := make([]int, 0, streams)
		for i := range streams {
			fds = append(fds, conntest.Get(b, port, fmt.Sprint("/message-hub/stream?user=user-", i), ""))
		}
		eventually(b, "all streams are open", func() bool { return broker.Stats().Open == streams })
		b.ReportMetric(float64(conntest.Resident(b)-before)/streams/1024, "KiB/stream")
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
