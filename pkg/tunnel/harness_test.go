package tunnel_test

import (
	"context"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/hub/pkg/tunnel"
	tunnelv1 "example.com/hub/proto/gen/go/hub/tunnel/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait; only a broken tunnel uses it up.
const patience = 20 * time.Second

// maxResponse is that of the tests' clients.
const maxResponse = 1 << 20

// call is what a server makes of a call.
type call func(ctx context.Context, method string, md metadata.MD, request []byte) tunnel.Answer

// echo answers with the request.
func echo(_ context.Context, _ string, _ metadata.MD, request []byte) tunnel.Answer {
	return tunnel.Answer{Response: request}
}

// station is a server of tunnels.
type station struct {
	*grpc.Server
	conn    *grpc.ClientConn
	closing chan struct{}
}

func serve(t *testing.T, c call, set ...func(*tunnel.Server)) *station {
	t.Helper()
	s := &station{Server: grpc.NewServer(grpc.WaitForHandlers(true)), closing: make(chan struct{})}
	server := &tunnel.Server{Call: c, Age: time.Hour, Closing: s.closing}
	for _, f := range set {
		f(server)
	}
	tunnelv1.RegisterTunnelServiceServer(s, server)
	listener := bufconn.Listen(1 << 20)
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	var err error
	s.conn, err = grpc.NewClient("passthrough:///hub", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.conn.Close()
		s.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return s
}

// open opens a tunnel, which has ended when the test has.
func (s *station) open(t *testing.T) *tunnel.Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c, err := tunnel.Open(ctx, s.conn, maxResponse, new(tunnel.Counts))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		c.Wait()
	})
	return c
}

// ask makes a call with a text and gives the text of the answer.
func ask(ctx context.Context, c *tunnel.Client, text string, opts ...grpc.CallOption) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reply := new(wrapperspb.StringValue)
	err := c.Invoke(ctx, "/test.Test/Ask", wrapperspb.String(text), reply, opts...)
	return reply.GetValue(), err
}
