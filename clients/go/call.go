package hub

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// repeatable are the methods that may be called again without knowing what became of the first call; see Client.
var repeatable = map[string]bool{
	todov1.TodoService_UpsertTodo_FullMethodName:             true,
	todov1.TodoService_BatchUpsertTodos_FullMethodName:       true,
	todov1.TodoService_ReconcileTodos_FullMethodName:         true,
	todov1.TodoService_ListTodos_FullMethodName:              true,
	todov1.TodoService_CountTodos_FullMethodName:             true,
	todov1.TodoService_ClearTodo_FullMethodName:              true,
	todov1.TodoService_InvalidateTodo_FullMethodName:         true,
	messagev1.MessageService_PushMessage_FullMethodName:      true,
	messagev1.MessageService_ListInbox_FullMethodName:        true,
	messagev1.MessageService_CountUnread_FullMethodName:      true,
	messagev1.MessageService_CountUnreadBatch_FullMethodName: true,
	messagev1.MessageService_MarkRead_FullMethodName:         true,
	messagev1.MessageService_MarkAllRead_FullMethodName:      true,
}

const (
	// firstWait bounds the wait before the first repeat, and maxWait that before any (docs/operations/limits.md).
	firstWait = time.Second
	maxWait   = time.Minute
)

// caller makes the calls of a client.
//
// The retry policy of gRPC is not enough for that: it does not read google.rpc.RetryInfo, never repeats a call
// whose refusal had headers, as those of Hub's limits have, spreads its waits by a fifth only, and cannot get
// another token.
type caller struct {
	tokens  TokenSource
	timeout time.Duration
}

// call is a grpc.UnaryClientInterceptor.
func (c *caller) call(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	renewed := false
	var last error
	for failures := 0; ; {
		token, err := c.tokens.Token(ctx)
		if err == nil {
			authorized := metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
			err = errorOf(invoke(authorized, method, req, reply, conn, opts...))
			if codeOfError(err) == codes.Unauthenticated && !renewed {
				renewed = true
				c.tokens.Refused(token)
				continue
			}
		}
		failures++
		switch {
		case err == nil:
			return nil
		case errors.Is(ctx.Err(), context.Canceled):
			return contextError(ctx)
		case repeatable[method] && pause(ctx, err, failures):
			last = err
		case last != nil && codeOfError(err) == codes.DeadlineExceeded:
			return last // which says more than that time is up
		default:
			return err
		}
	}
}

// pause waits before a call is repeated. It is false where a repeat would not help or the context ends before.
func pause(ctx context.Context, err error, failures int) (repeat bool) {
	var e *Error
	if ctx.Err() != nil || !errors.As(err, &e) {
		return false
	}
	var wait time.Duration
	switch {
	case e.RetryAfter > 0:
		wait = e.RetryAfter + rand.N(e.RetryAfter)
	case e.Code == codes.Unavailable || e.Code == codes.DeadlineExceeded:
		wait = jitter(firstWait, maxWait, failures)
	default:
		return false
	}
	if ends, bounded := ctx.Deadline(); bounded && time.Until(ends) <= wait {
		return false
	}
	return sleep(ctx, wait)
}
