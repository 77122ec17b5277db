package grpcserver_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/ratelimit"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// charges take as many units for an upsert as its title has letters, and nothing for a list.
var charges = ratelimit.Charges{
	todov1.TodoService_UpsertTodo_FullMethodName: {Area: ratelimit.Writes, Cost: func(request any) int {
		return len(request.(*todov1.UpsertTodoRequest).GetTitle())
	}},
}

// limited is a server that lets one write a second pass and four at once, at a time that stands still.
func limited() grpcserver.Options {
	o, _ := options()
	now := time.Unix(1_900_000_000, 0)
	o.Limiter = ratelimit.New(ratelimit.Config{Writes: 1, Burst: 4 * time.Second}, ratelimit.Deps{
		Clock: func() time.Time { return now },
	})
	o.Charges = charges
	return o
}

func TestCallsBeyondTheLimitAreRefused(t *testing.T) {
	check := func(t *testing.T, c grpc.ClientConnInterface) {
		t.Helper()
		call := func(title string) (metadata.MD, error) {
			var header metadata.MD
			_, err := todov1.NewTodoServiceClient(c).UpsertTodo(withAuthorization(t.Context(), "Bearer good"),
				&todov1.UpsertTodoRequest{Title: title}, grpc.Header(&header))
			return header, err
		}
		wantFields := func(header metadata.MD, state string) {
			t.Helper()
			got := map[string][]string{"ratelimit-policy": header["ratelimit-policy"], "ratelimit": header["ratelimit"]}
			want := map[string][]string{"ratelimit-policy": {`"writes";q=4;w=4`}, "ratelimit": {state}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the header differs (-want +got):\n%s", diff)
			}
		}
		header, err := call("abc")
		if err != nil {
			t.Fatal(err)
		}
		wantFields(header, `"writes";r=1;t=3`)

		header, err = call("abc")
		wantFields(header, `"writes";r=1;t=2`)
		got := status.Convert(err)
		if got.Code() != codes.ResourceExhausted || got.Message() != "too many writes, try again in 2 s" {
			t.Errorf("got %v", err)
		}
		want := []any{&errdetails.RetryInfo{RetryDelay: durationpb.New(2 * time.Second)}}
		if diff := cmp.Diff(want, got.Details(), protocmp.Transform()); diff != "" {
			t.Errorf("the details differ (-want +got):\n%s", diff)
		}

		// A refused call costs nothing, and a method without a charge is free.
		if _, err := call("a"); err != nil {
			t.Error(err)
		}
		header = nil
		_, err = todov1.NewTodoServiceClient(c).ListTodos(withAuthorization(t.Context(), "Bearer good"),
			&todov1.ListTodosRequest{}, grpc.Header(&header))
		if status.Code(err) != codes.Unimplemented || len(header["ratelimit"]) != 0 {
			t.Errorf("a list: %v, %v", header, err)
		}
		// Who may not call at all has no bucket.
		_, err = todov1.NewTodoServiceClient(c).UpsertTodo(withAuthorization(t.Context(), "Bearer profile"), &todov1.UpsertTodoRequest{Title: "a"})
		if status.Code(err) != codes.PermissionDenied {
			t.Errorf("without the scope: %v", err)
		}
	}
	t.Run("listening", func(t *testing.T) {
		s := grpcserver.New(limited())
		todov1.RegisterTodoServiceServer(s, answering(nil))
		check(t, dial(t, s))
	})
	t.Run("local", func(t *testing.T) {
		s := grpcserver.NewLocal(limited())
		todov1.RegisterTodoServiceServer(s, answering(nil))
		check(t, s)
	})
}

// TestServersShareALimiter has a client that calls by gRPC and, through an edge, in memory.
func TestServersShareALimiter(t *testing.T) {
	o := limited()
	listening, local := grpcserver.New(o), grpcserver.NewLocal(o)
	todov1.RegisterTodoServiceServer(listening, answering(nil))
	todov1.RegisterTodoServiceServer(local, answering(nil))
	request := &todov1.UpsertTodoRequest{Title: "abcd"}
	ctx := withAuthorization(t.Context(), "Bearer good")
	if _, err := todov1.NewTodoServiceClient(local).UpsertTodo(ctx, request); err != nil {
		t.Fatal(err)
	}
	if _, err := todov1.NewTodoServiceClient(dial(t, listening)).UpsertTodo(ctx, request); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("got %v, want ResourceExhausted", err)
	}
}

// BenchmarkLimit shows what a limit adds to a call in memory.
func BenchmarkLimit(b *testing.B) {
	for name, config := range map[string]ratelimit.Config{
		"off": {Burst: 10 * time.Second}, "on": {Writes: 100_000, Burst: 10 * time.Minute},
	} {
		b.Run(name, func(b *testing.B) {
			o, _ := options()
			o.Logger = nil
			o.Limiter, o.Charges = ratelimit.New(config, ratelimit.Deps{}), charges
			local := grpcserver.NewLocal(o)
			todov1.RegisterTodoServiceServer(local, answering(nil))
			ctx := withAuthorization(b.Context(), "Bearer good")
			client, request := todov1.NewTodoServiceClient(local), &todov1.UpsertTodoRequest{Title: "a"}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := client.UpsertTodo(ctx, request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// messageCharges take one unit for a push.
var messageCharges = ratelimit.Charges{messagev1.MessageService_PushMessage_FullMethodName: {Area: ratelimit.Writes}}

func TestAUserHasALimitOfHerOwn(t *testing.T) {
	o := served(t, nil, true)
	o.Limiter = ratelimit.New(ratelimit.Config{Writes: 1, Burst: time.Second}, ratelimit.Deps{
		Clock: func() time.Time { return time.Unix(1_900_000_000, 0) },
	})
	o.Charges = ratelimit.Charges{forAll: {Area: ratelimit.Writes}}
	s := grpcserver.NewLocal(o)
	todov1.RegisterTodoServiceServer(s, answering(nil))
	c := todov1.NewTodoServiceClient(s)
	for _, caller := range []metadata.MD{
		{"authorization": asEdge, "hub-user": amy},
		{"authorization": asEdge, "hub-user": {"ben"}},
		{"authorization": asClient},
	} {
		for _, want := range []codes.Code{reached, codes.ResourceExhausted} {
			got := status.Code(invoke(metadata.NewOutgoingContext(t.Context(), caller), c, forAll))
			if got == codes.OK {
				got = reached
			}
			if got != want {
				t.Errorf("%s: %v, want %v", caller["hub-user"], got, want)
			}
		}
	}
}
