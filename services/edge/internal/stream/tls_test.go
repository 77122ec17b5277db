package stream_test

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"example.com/hub/pkg/tlsfiles/tlstest"
	"example.com/hub/services/edge/internal/conn"
	"example.com/hub/services/edge/internal/sse/ssetest"
	"example.com/hub/services/edge/internal/stream"
)

// overTLS makes the edges of the tests serve TLS.
var overTLS = flag.Bool("tls", false, "serve the streams of the tests over TLS")

// TestAllOverTLS runs the tests of streams a second time, over TLS, in a process of its own.
func TestAllOverTLS(t *testing.T) {
	// Some have no connections, connect thousands of times, or send as fast as they can to clients that
	// must keep up.
	const others = "TestClientsComeAndGo|TestResumesWhileTheRingTurns|TestNothingIsLostOrRepeatedBetweenReplayAndLive"
	again := exec.CommandContext(t.Context(), os.Args[0], "-tls", "-test.count=1", "-test.skip=^("+others+"|TestAllOverTLS)$")
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("over TLS: %v\n%s", err, out)
	}
}

func TestStreamsOverTLSOfAnotherListener(t *testing.T) {
	e := unstartedEdge(t, stream.Deps{})
	e.server.StartTLS()
	first := e.open(t, "alice")
	var want []string
	for i := range 30 {
		want = append(want, fmt.Sprint(i))
		e.bus.publish(message("alice", want[i]))
	}
	first.expect(t, "message", want...)
	second := e.open(t, "alice")
	first.expectEnd(t, 3*time.Second, 4500*time.Millisecond)
	e.bus.publish(message("alice", "last"))
	second.expect(t, "message", "last")
}

// link makes connections with TLS.
type link struct {
	l              net.Listener
	server, client *tls.Config
}

func newLink(t testing.TB, version uint16) *link {
	t.Helper()
	authority := tlstest.New(t)
	issued := authority.Issue(t, "hub.test")
	pair, err := tls.X509KeyPair(issued.Cert, issued.Key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &link{
		l:      conn.Listener(l),
		server: &tls.Config{Certificates: []tls.Certificate{pair}},
		client: &tls.Config{RootCAs: authority.Pool(), ServerName: "hub.test", MinVersion: version, MaxVersion: version},
	}
}

// ends gives both ends of a connection, of which the server's is fit for a stream.
func (k *link) ends(t testing.TB) (server, client *tls.Conn) {
	t.Helper()
	shaken := make(chan error, 1)
	go func() {
		var err error
		client, err = tls.Dial("tcp", k.l.Addr().String(), k.client)
		shaken <- err
	}()
	conn, err := k.l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	server = tls.Server(conn, k.server)
	if err := errors.Join(server.HandshakeContext(t.Context()), <-shaken); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return server, client
}

func TestAStreamOverTLSNeverWaitsForItsClient(t *testing.T) {
	for name, version := range map[string]uint16{"TLS 1.2": tls.VersionTLS12, "TLS 1.3": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			b, bus := newBroker(t, stream.Deps{})
			server, client := newLink(t, version).ends(t)
			serve(t, b, server, "alice")
			if n := stream.Queued(b, "alice"); n != 0 {
				t.Errorf("%d frames wait although the client has room for them", n)
			}
			// The client reads nothing, so the first frames fill the kernel, and the next ones the queue.
			published := 0
			for ; b.Stats().SlowClosed == 0; published++ {
				if published > 100_000 {
					t.Fatal("the client that reads nothing is not closed")
				}
				bus.publish(message("alice", fmt.Sprint(published)))
			}
			got, err := io.ReadAll(client)
			if err == nil {
				t.Error("the client takes a stream that was cut for one that ended in order")
			}
			events := ssetest.Parse(bodyOf(string(got))).Events
			for i, e := range events {
				if e.LastEventID != fmt.Sprint(i) {
					t.Fatalf("event %d is %q: they must come in order and whole", i, e.LastEventID)
				}
			}
			if len(events) == 0 {
				t.Error("nothing came of what the kernel had taken")
			}
			if err := b.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
