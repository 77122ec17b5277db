package rest

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// perTarget is what a push gets on top of the call timeout for each target.
const perTarget = time.Millisecond

// limits bound what calls may cost the edge.
type limits struct {
	timeout     time.Duration
	maxPageSize int64
	// room bounds the memory of the list answers that are under way, in bytes.
	room *semaphore.Weighted
}

// method is a client's method.
type method[I, O any] func(ctx context.Context, in *I, opts ...grpc.CallOption) (*O, error)

// within makes a call under a deadline.
func within[I, O any](ctx context.Context, d time.Duration, call method[I, O], in *I, opts []grpc.CallOption) (*O, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return call(ctx, in, opts...)
}

// todoCalls is a todo client under limits.
type todoCalls struct {
	todov1.TodoServiceClient
	limits *limits
}

// UpsertTodo implements todov1.TodoServiceClient.
func (c todoCalls) UpsertTodo(ctx context.Context, in *todov1.UpsertTodoRequest, opts ...grpc.CallOption) (*todov1.UpsertTodoResponse, error) {
	return within(ctx, c.limits.timeout, c.TodoServiceClient.UpsertTodo, in, opts)
}

// ListTodos implements todov1.TodoServiceClient.
func (c todoCalls) ListTodos(ctx context.Context, in *todov1.ListTodosRequest, opts ...grpc.CallOption) (*todov1.ListTodosResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.timeout)
	defer cancel()
	if err := c.limits.reserve(ctx, in.Size, maxTodo); err != nil {
		return nil, err
	}
	return c.TodoServiceClient.ListTodos(ctx, in, opts...)
}

// ClearTodo implements todov1.TodoServiceClient.
func (c todoCalls) ClearTodo(ctx context.Context, in *todov1.ClearTodoRequest, opts ...grpc.CallOption) (*todov1.ClearTodoResponse, error) {
	return within(ctx, c.limits.timeout, c.TodoServiceClient.ClearTodo, in, opts)
}

// InvalidateTodo implements todov1.TodoServiceClient.
func (c todoCalls) InvalidateTodo(ctx context.Context, in *todov1.InvalidateTodoRequest, opts ...grpc.CallOption) (*todov1.InvalidateTodoResponse, error) {
	return within(ctx, c.limits.timeout, c.TodoServiceClient.InvalidateTodo, in, opts)
}

// messageCalls is a message client under limits.
type messageCalls struct {
	messagev1.MessageServiceClient
	limits *limits
}

// PushMessage implements messagev1.MessageServiceClient.
func (c messageCalls) PushMessage(ctx context.Context, in *messagev1.PushMessageRequest, opts ...grpc.CallOption) (*messagev1.PushMessageResponse, error) {
	d := c.limits.timeout + time.Duration(len(in.GetTargetUsernames()))*perTarget
	return within(ctx, d, c.MessageServiceClient.PushMessage, in, opts)
}

// ListInbox implements messagev1.MessageServiceClient.
func (c messageCalls) ListInbox(ctx context.Context, in *messagev1.ListInboxRequest, opts ...grpc.CallOption) (*messagev1.ListInboxResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limits.timeout)
	defer cancel()
	if err := c.limits.reserve(ctx, in.Size, MaxRecord); err != nil {
		return nil, err
	}
	return c.MessageServiceClient.ListInbox(ctx, in, opts...)
}

// CountUnread implements messagev1.MessageServiceClient.
func (c messageCalls) CountUnread(ctx context.Context, in *messagev1.CountUnreadRequest, opts ...grpc.CallOption) (*messagev1.CountUnreadResponse, error) {
	return within(ctx, c.limits.timeout, c.MessageServiceClient.CountUnread, in, opts)
}

// MarkRead implements messagev1.MessageServiceClient.
func (c messageCalls) MarkRead(ctx context.Context, in *messagev1.MarkReadRequest, opts ...grpc.CallOption) (*messagev1.MarkReadResponse, error) {
	return within(ctx, c.limits.timeout, c.MessageServiceClient.MarkRead, in, opts)
}
