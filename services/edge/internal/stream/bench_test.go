package stream_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"testing"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/sse"
	"example.com/hub/services/edge/internal/stream"
)

// BenchmarkFanOut writes one event to each of 1,000 clients on loopback that read all they get:
// through the broker, in frames as Redis has them and in one, and from a loop that knows only the
// connections.
func BenchmarkFanOut(b *testing.B) {
	const clients = 1_000
	var frame []bus.Event
	for i := range clients {
		frame = append(frame, message(fmt.Sprint("user-", i), "0190c1f2-7e1b-7cc0-8a5e-6f1f6b7a9d10"))
	}
	perEvent := func(b *testing.B) {
		b.ReportMetric(float64(b.N)*clients/b.Elapsed().Seconds(), "events/s")
	}
	for _, size := range []int{1, 100, clients} {
		b.Run(fmt.Sprint("broker/", size), func(b *testing.B) {
			broker, feed := newBroker(b, stream.Deps{})
			for i, conn := range pairs(b, clients) {
				serve(b, broker, conn, frame[i].User)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				for at := 0; at < clients; at += size {
					feed.publish(frame[at : at+size]...)
				}
			}
			perEvent(b)
			if s := broker.Stats(); s.SlowClosed > 0 || s.Open != clients {
				b.Fatalf("stats = %+v, want every client served", s)
			}
			if err := broker.Shutdown(b.Context()); err != nil {
				b.Errorf("shutdown: %v", err)
			}
		})
	}
	b.Run("bare", func(b *testing.B) {
		conns := pairs(b, clients)
		payload, _ := sse.AppendEvent(nil, &frame[0])
		b.ReportAllocs()
		b.ResetTimer()
		for b.Loop() {
			for _, conn := range conns {
				if _, err := conn.Write(payload); err != nil {
					b.Fatalf("write: %v", err)
				}
			}
		}
		perEvent(b)
		for _, conn := range conns {
			_ = conn.Close()
		}
	})
}

// pairs gives the server's ends of n connections whose other ends are read all the time.
func pairs(b *testing.B, n int) []net.Conn {
	b.Helper()
	if *overTLS {
		k, conns := newLink(b, tls.VersionTLS13), make([]net.Conn, n)
		for i := range conns {
			server, client := k.ends(b)
			go func() { _, _ = io.Copy(io.Discard, client) }()
			conns[i] = server
		}
		return conns
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatalf("listen: %v", err)
	}
	defer func() { _ = l.Close() }()
	conns := make([]net.Conn, n)
	for i := range conns {
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatalf("dial: %v", err)
		}
		go func() {
			_, _ = io.Copy(io.Discard, client)
			_ = client.Close()
		}()
		if conns[i], err = l.Accept(); err != nil {
			b.Fatalf("accept: %v", err)
		}
	}
	return conns
}
