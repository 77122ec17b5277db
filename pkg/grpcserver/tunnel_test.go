package grpcserver_test

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/tunnel"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	tunnelv1 "example.com/hub/proto/gen/go/hub/tunnel/v1"
)

func TestTunnelsAreForEdgesOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		key   bool
		token string
		want  codes.Code
	}{
		"an edge":           {true, internalKey, codes.OK},
		"a client":          {true, "good", codes.PermissionDenied},
		"a stranger":        {true, "bad", codes.Unauthenticated},
		"no edge is known":  {false, internalKey, codes.Unimplemented},
		"nor is its client": {false, "good", codes.Unimplemented},
	} {
		o, _ := options()
		if tt.key {
			o.Edges.Key = newKey(t)
		}
		s := grpcserver.New(o)
		conn := dial(t, s)
		ctx, cancel := context.WithCancel(withAuthorization(t.Context(), "Bearer "+tt.token))
		c, err := tunnel.Open(ctx, conn, 1, new(tunnel.Counts))
		if status.Code(err) != tt.want {
			t.Errorf("%s gets %v, want %v", name, err, tt.want)
		}
		cancel()
		if err == nil {
			c.Wait()
		}
		if _, shown := s.GetServiceInfo()[tunnelv1.TunnelService_ServiceDesc.ServiceName]; shown {
			t.Errorf("%s is shown the service", name)
		}
	}
}

// TestACallThroughATunnelIsNoEdges has calls without a token of their own, beside the key of their tunnel.
func TestACallThroughATunnelIsNoEdges(t *testing.T) {
	s := grpcserver.New(guarded(t, nil, true))
	todov1.RegisterTodoServiceServer(s, answering(nil))
	c := todov1.NewTodoServiceClient(dialTunnel(t, s))
	for token, want := range map[string]codes.Code{"": codes.Unauthenticated, "good": codes.PermissionDenied, internalKey: codes.OK} {
		ctx := t.Context()
		if token != "" {
			ctx = withAuthorization(ctx, "Bearer "+token)
		}
		if _, err := c.UpsertTodo(ctx, &todov1.UpsertTodoRequest{}); status.Code(err) != want {
			t.Errorf("an internal call with the token %q: %v, want %v", token, err, want)
		}
	}
	// Streams, and so tunnels, are no calls of a tunnel.
	err := dialTunnel(t, s).Invoke(t.Context(), tunnelv1.TunnelService_OpenTunnel_FullMethodName, &todov1.UpsertTodoRequest{}, &todov1.UpsertTodoResponse{})
	if status.Code(err) != codes.Unimplemented {
		t.Errorf("a tunnel in a tunnel: %v", err)
	}
}

// TestAStopWaitsForTheCallsOfTunnels has a tunnel that is open, and a call under way in it.
func TestAStopWaitsForTheCallsOfTunnels(t *testing.T) {
	o, _ := options()
	o.Edges.Key = newKey(t)
	s := grpcserver.New(o)
	begun, release := make(chan struct{}), make(chan struct{})
	todov1.RegisterTodoServiceServer(s, &todos{upsert: func(context.Context, *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		close(begun)
		<-release
		return &todov1.UpsertTodoResponse{}, nil
	}})
	c := dialTunnel(t, s)
	answered := make(chan error, 1)
	go func() {
		_, err := upsert(t.Context(), c)
		answered <- err
	}()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()
	<-c.(tunnelled).Full()
	close(release)
	if err := <-answered; err != nil {
		t.Errorf("the call: %v", err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("the stop: %v", err)
	}
}

func TestTheLimitOfRequestsHoldsInTunnels(t *testing.T) {
	o, _ := options()
	o.Edges.Key, o.MaxReceiveBytes = newKey(t), 100
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, answering(nil))
	c := todov1.NewTodoServiceClient(dialTunnel(t, s))
	for size, want := range map[int]codes.Code{90: codes.OK, 110: codes.InvalidArgument} {
		ctx := withAuthorization(t.Context(), "Bearer good")
		if _, err := c.UpsertTodo(ctx, &todov1.UpsertTodoRequest{Title: string(make([]byte, size))}); status.Code(err) != want {
			t.Errorf("a title of %d bytes: %v, want %v", size, err, want)
		}
	}
}
