package replicas

import (
	"context"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/hub/pkg/tunnel"
	tunnelv1 "example.com/hub/proto/gen/go/hub/tunnel/v1"
)

// patience bounds every wait.
const patience = 20 * time.Second

// serve serves on an address of its own, tunnels with call, or none when it is nil.
func serve(t *testing.T, call func(context.Context) error) (address string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	if call != nil {
		tunnelv1.RegisterTunnelServiceServer(s, &tunnel.Server{Age: time.Hour, Call: func(ctx context.Context, _ string, _ metadata.MD, _ []byte) tunnel.Answer {
			return tunnel.Answer{Err: call(ctx)}
		}})
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// next waits for the tunnel of the next call, or for there to be none.
func next(t *testing.T, s *Set, want bool) *tunnel.Client {
	t.Helper()
	for end := time.Now().Add(patience); ; <-time.After(time.Millisecond) {
		if c := s.tunnel(); (c != nil) == want {
			return c
		}
		if time.Now().After(end) {
			t.Fatalf("that there is a tunnel never is %v", want)
		}
	}
}

func ask(ctx context.Context, c *tunnel.Client) error {
	return c.Invoke(ctx, "/test.Test/Ask", new(wrapperspb.StringValue), new(wrapperspb.StringValue))
}

func TestCallsOfAReplicaThatLeavesAreAnswered(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	leaving := serve(t, func(ctx context.Context) error {
		close(begun)
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	staying := serve(t, func(context.Context) error { return nil })
	w, _, _ := watching(t)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	w.found(ctx, []string{leaving}, nil)
	c := next(t, w.set, true)
	answered := make(chan error, 1)
	go func() { answered <- ask(t.Context(), c) }()
	<-begun
	w.found(ctx, []string{staying}, nil)
	<-c.Full()
	close(release)
	if err := <-answered; err != nil {
		t.Errorf("the call: %v", err)
	}
	if err := ask(t.Context(), next(t, w.set, true)); err != nil {
		t.Errorf("a later call: %v", err)
	}
}

// TestNoTunnelIsUsedBesideAReplicaThatTakesNone has one that would get less than its share.
func TestNoTunnelIsUsedBesideAReplicaThatTakesNone(t *testing.T) {
	ready := func(context.Context) error { return nil }
	one, two, old := serve(t, ready), serve(t, ready), serve(t, nil)
	w, _, _ := watching(t)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	w.found(ctx, []string{one, two}, nil)
	next(t, w.set, true)
	w.found(ctx, []string{one, two, old}, nil)
	for w.set.refusing.Load() == 0 {
		<-time.After(time.Millisecond)
	}
	for range 9 {
		next(t, w.set, false)
	}
	w.found(ctx, []string{one, two}, nil)
	next(t, w.set, true)
}
