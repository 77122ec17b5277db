package eventcenter_test

import (
	"io"
	"net"
	"net/http/httptest"
	"syscall"
	"testing"

	"example.com/hub/services/edge/internal/conntest"
	"example.com/hub/services/edge/internal/eventcenter"
)

// BenchmarkHeldStreams tells what a stream of events costs in resident memory that goes through the forward and
// is silent. The baseline is a bare reverse proxy. Callers are bare sockets, and so is nearly the event center.
func BenchmarkHeldStreams(b *testing.B) {
	const streams = 256
	upstream := streamer(b)
	for _, proxy := range proxies(b, "http://"+upstream) {
		b.Run("against=proxy/impl="+proxy.name, func(b *testing.B) {
			for b.Loop() {
				edge := httptest.NewServer(proxy.handler)
				port := edge.Listener.Addr().(*net.TCPAddr).Port
				before := conntest.Resident(b)
				fds := make([]int, 0, streams)
				for range streams {
					fds = append(fds, conntest.Get(b, port, eventcenter.Path+"/topics/orders/stream", ""))
				}
				b.ReportMetric(float64(conntest.Resident(b)-before)/streams/1024, "KiB/stream")
				for _, fd := range fds {
					_ = syscall.Close(fd)
				}
				edge.Close()
			}
		})
	}
}

// streamer answers each connection with the beginning of a stream, and holds it. It costs a descriptor each.
func streamer(b *testing.B) (address string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	over := make(chan struct{})
	b.Cleanup(func() {
		_ = l.Close()
		<-over
	})
	go func() {
		defer close(over)
		request := make([]byte, 4<<10)
		var held []net.Conn
		for {
			conn, err := l.Accept()
			if err != nil {
				break
			}
			held = append(held, conn)
			_, _ = conn.Read(request)
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n")
		}
		for _, conn := range held {
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}
