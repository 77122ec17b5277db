package hub_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	hub "example.com/hub/clients/go"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// fake is a hub that fails as a test says. The zero fake answers everything with success.
type fake struct {
	todov1.UnimplementedTodoServiceServer
	messagev1.UnimplementedMessageServiceServer

	// fail is asked for each call, counted from 1.
	fail func(call int) error

	mu       sync.Mutex
	tokens   []string
	agents   []string
	deadline time.Duration // of the last call
	pushes   []*messagev1.PushMessageRequest
	batches  []*todov1.BatchUpsertTodosRequest
	parts    []*todov1.ReconcileTodosRequest
}

func (f *fake) called(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	md, _ := metadata.FromIncomingContext(ctx)
	f.tokens = append(f.tokens, md.Get("authorization")...)
	f.agents = append(f.agents, md.Get("user-agent")...)
	if ends, ok := ctx.Deadline(); ok {
		f.deadline = time.Until(ends)
	}
	if f.fail == nil {
		return nil
	}
	return f.fail(len(f.tokens))
}

func (f *fake) ClearTodo(ctx context.Context, _ *todov1.ClearTodoRequest) (*todov1.ClearTodoResponse, error) {
	return &todov1.ClearTodoResponse{}, f.called(ctx)
}

func (f *fake) PushMessage(ctx context.Context, r *messagev1.PushMessageRequest) (*messagev1.PushMessageResponse, error) {
	if err := f.called(ctx); err != nil {
		return nil, err
	}
	f.pushes = append(f.pushes, r)
	return &messagev1.PushMessageResponse{Created: int32(len(r.GetTargetUsernames()) + len(r.GetTargetUserIds()))}, nil
}

func (f *fake) BatchUpsertTodos(ctx context.Context, r *todov1.BatchUpsertTodosRequest) (*todov1.BatchUpsertTodosResponse, error) {
	if err := f.called(ctx); err != nil {
		return nil, err
	}
	f.batches = append(f.batches, r)
	answer := &todov1.BatchUpsertTodosResponse{}
	for _, item := range r.GetItems() {
		answer.Results = append(answer.Results, &todov1.BatchUpsertResult{TodoId: item.GetTodoId()})
	}
	return answer, nil
}

// ReconcileTodos closes two items in each part but the second.
func (f *fake) ReconcileTodos(ctx context.Context, r *todov1.ReconcileTodosRequest) (*todov1.ReconcileTodosResponse, error) {
	if err := f.called(ctx); err != nil {
		return nil, err
	}
	f.parts = append(f.parts, r)
	if len(f.parts) == 2 {
		return &todov1.ReconcileTodosResponse{Missing: 1}, nil
	}
	return &todov1.ReconcileTodosResponse{Closed: 2, ClosedIds: []string{"behind " + r.GetFrom()}, Missing: 1}, nil
}

// calls is how many calls came.
func (f *fake) calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.tokens)
}

// serve runs a fake until the test is over.
func serve(t *testing.T, f *fake, opts ...grpc.ServerOption) (target string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(append(opts, grpc.MaxRecvMsgSize(16<<20))...)
	todov1.RegisterTodoServiceServer(server, f)
	messagev1.RegisterMessageServiceServer(server, f)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return listener.Addr().String()
}

// dial makes a client until the test is over.
func dial(t *testing.T, c hub.Config) *hub.Client {
	t.Helper()
	if c.Tokens == nil {
		c.Tokens = hub.StaticToken("t")
	}
	client, err := hub.Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// faked is a client of a fake.
func faked(t *testing.T, f *fake) *hub.Client {
	t.Helper()
	return dial(t, hub.Config{Target: serve(t, f), Plaintext: true})
}

// failing fails the first n calls.
func failing(n int, code codes.Code) func(int) error {
	return func(call int) error {
		if call <= n {
			return status.Error(code, "as the test wants")
		}
		return nil
	}
}
