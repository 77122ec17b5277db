package tunnel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"example.com/hub/pkg/tunnel"
)

func TestAFullTunnelAnswersWhatItHasTaken(t *testing.T) {
	for name, full := range map[string]struct {
		set  func(*tunnel.Server)
		fill func(*station)
	}{
		"it is old":           {func(s *tunnel.Server) { s.Age = 2 * time.Second }, func(*station) {}},
		"the server is going": {func(*tunnel.Server) {}, func(s *station) { close(s.closing) }},
	} {
		t.Run(name, func(t *testing.T) {
			begun, release := make(chan struct{}), make(chan struct{})
			s := serve(t, func(ctx context.Context, method string, md metadata.MD, request []byte) tunnel.Answer {
				close(begun)
				<-release
				return echo(ctx, method, md, request)
			}, full.set)
			c := s.open(t)
			answered := make(chan error, 1)
			go func() {
				_, err := ask(t.Context(), c, "x")
				answered <- err
			}()
			select {
			case <-begun:
			case err := <-answered:
				t.Fatalf("the call is not made: %v", err)
			}
			full.fill(s)
			<-c.Full()
			if _, err := ask(t.Context(), c, "x"); !errors.Is(err, tunnel.ErrNotAnswered) {
				t.Errorf("a call to a full tunnel: %v", err)
			}
			close(release)
			if err := <-answered; err != nil {
				t.Errorf("a call from before: %v", err)
			}
			c.Wait() // It ends by itself.
			s.GracefulStop()
		})
	}
}

func TestACallerThatLeavesAFullTunnelEndsItsCall(t *testing.T) {
	begun := make(chan struct{})
	s := serve(t, func(ctx context.Context, _ string, _ metadata.MD, _ []byte) tunnel.Answer {
		close(begun)
		<-ctx.Done()
		return tunnel.Answer{}
	})
	c := s.open(t)
	ctx, leave := context.WithCancel(context.Background())
	left := make(chan error, 1)
	go func() { left <- c.Invoke(ctx, "/test.Test/Ask", wrapperspb.String("x"), new(wrapperspb.StringValue)) }()
	<-begun
	close(s.closing)
	<-c.Full()
	leave()
	if err := <-left; status.Code(err) != codes.Canceled {
		t.Errorf("the caller gets %v", err)
	}
	c.Wait() // It ends as its last call does.
}

func TestABrokenTunnelLetsCallersGo(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	s := serve(t, func(ctx context.Context, _ string, _ metadata.MD, _ []byte) tunnel.Answer {
		close(begun)
		<-ctx.Done()
		close(ended)
		return tunnel.Answer{}
	})
	c := s.open(t)
	go func() {
		<-begun
		s.Stop()
	}()
	if _, err := ask(t.Context(), c, "x"); !errors.Is(err, tunnel.ErrNotAnswered) {
		t.Errorf("the caller gets %v", err)
	}
	<-ended
	<-c.Full()
	if _, err := ask(t.Context(), c, "x"); !errors.Is(err, tunnel.ErrNotAnswered) {
		t.Errorf("a later one gets %v", err)
	}
	if _, err := tunnel.Open(t.Context(), s.conn, maxResponse, new(tunnel.Counts)); status.Code(err) != codes.Unavailable {
		t.Errorf("another tunnel: %v", err)
	}
}
