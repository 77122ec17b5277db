package grpcserver_test

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/requestid"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func local(o grpcserver.Options, svc todov1.TodoServiceServer) *grpcserver.Local {
	l := grpcserver.NewLocal(o)
	todov1.RegisterTodoServiceServer(l, svc)
	return l
}

type key struct{}

func TestLocalCarriesMetadataAndNoValues(t *testing.T) {
	o, _ := options()
	var in, out metadata.MD
	var value any
	s := local(o, &todos{upsert: func(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		in, _ = metadata.FromIncomingContext(ctx)
		out, _ = metadata.FromOutgoingContext(ctx)
		value = ctx.Value(key{})
		return &todov1.UpsertTodoResponse{}, nil
	}})
	ctx := context.WithValue(t.Context(), key{}, "secret of the caller")
	ctx = metadata.NewIncomingContext(ctx, metadata.Pairs("authorization", "Bearer profile"))
	ctx = metadata.AppendToOutgoingContext(ctx, "Request-Id", "7")
	if _, err := upsert(ctx, s); err != nil {
		t.Fatal(err)
	}
	want := metadata.MD{"authorization": {"Bearer good"}, "request-id": {"7"}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Error(diff)
	}
	if len(out) != 0 {
		t.Errorf("outgoing metadata crossed: %v", out)
	}
	if value != nil {
		t.Errorf("a value crossed: %v", value)
	}
}

func TestLocalAnswersHeaderAndTrailer(t *testing.T) {
	svc := &todos{upsert: func(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		if err := grpc.SetHeader(ctx, metadata.Pairs("h", "1")); err != nil {
			return nil, err
		}
		if err := grpc.SendHeader(ctx, metadata.Pairs("h", "2")); err != nil {
			return nil, err
		}
		return &todov1.UpsertTodoResponse{}, grpc.SetTrailer(ctx, metadata.Pairs("t", "3"))
	}}
	onEach(t, svc, func(t *testing.T, c grpc.ClientConnInterface, _ *logs) {
		var header, trailer metadata.MD
		if _, err := upsert(t.Context(), c, grpc.Header(&header), grpc.Trailer(&trailer)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"1", "2"}, header.Get("h")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"3"}, trailer.Get("t")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLocalHandsMessagesOverWithoutACopy(t *testing.T) {
	o, _ := options()
	req := &todov1.UpsertTodoRequest{TodoId: "t1"}
	item := &todov1.Todo{Id: "t1"}
	var seen *todov1.UpsertTodoRequest
	s := local(o, &todos{upsert: func(_ context.Context, r *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		seen = r
		return &todov1.UpsertTodoResponse{Todo: item}, nil
	}})
	ctx := withAuthorization(t.Context(), "Bearer good")
	reply := &todov1.UpsertTodoResponse{Todo: &todov1.Todo{Id: "left over", Title: "left over"}}
	if err := s.Invoke(ctx, todov1.TodoService_UpsertTodo_FullMethodName, req, reply); err != nil {
		t.Fatal(err)
	}
	if seen != req {
		t.Error("the request was copied")
	}
	if reply.GetTodo() != item {
		t.Error("the response was copied")
	}

	item = nil
	if err := s.Invoke(ctx, todov1.TodoService_UpsertTodo_FullMethodName, req, reply); err != nil {
		t.Fatal(err)
	}
	if reply.GetTodo() != nil {
		t.Errorf("the reply still has %v", reply.GetTodo())
	}
}

func TestLocalKeepsEveryPartOfTheResponse(t *testing.T) {
	want := &todov1.ListTodosResponse{Todos: []*todov1.Todo{{Id: "a"}, {Id: "b"}}, Page: 1, Size: 2, TotalCount: 1 << 40}
	want.ProtoReflect().SetUnknown([]byte{0xf8, 0x06, 0x01})
	o, _ := options()
	ctx := withAuthorization(t.Context(), "Bearer good")
	got, err := todov1.NewTodoServiceClient(local(o, lister{answer: want})).ListTodos(ctx, &todov1.ListTodosRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

// A service may leave records encoded. A caller sees them decoded, unless it reads bytes itself.
func TestLocalDecodesWhatTheServiceEncoded(t *testing.T) {
	answer := &todov1.ListTodosResponse{Page: 1}
	answer.ProtoReflect().SetUnknown([]byte("\n\x03\n\x01a\n\x03\n\x01b"))
	o, _ := options()
	ctx := withAuthorization(t.Context(), "Bearer good")
	client := todov1.NewTodoServiceClient(local(o, lister{answer: answer}))
	got, err := client.ListTodos(ctx, &todov1.ListTodosRequest{})
	if err != nil {
		t.Fatal(err)
	}
	want := &todov1.ListTodosResponse{Todos: []*todov1.Todo{{Id: "a"}, {Id: "b"}}, Page: 1}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	got, err = client.ListTodos(ctx, &todov1.ListTodosRequest{}, grpc.ForceCodecV2(nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(answer, got, protocmp.Transform()); diff != "" {
		t.Errorf("to a reader of bytes: %s", diff)
	}
}

// A text that is not UTF-8, of a database that somebody edited, is refused in the words of every failure.
func TestLocalRefusesWhatDoesNotDecode(t *testing.T) {
	answer := &todov1.ListTodosResponse{}
	answer.ProtoReflect().SetUnknown([]byte("\n\x03\n\x01\xff"))
	o, _ := options()
	ctx := withAuthorization(t.Context(), "Bearer good")
	_, err := todov1.NewTodoServiceClient(local(o, lister{answer: answer})).ListTodos(ctx, &todov1.ListTodosRequest{})
	if s := status.Convert(err); s.Code() != codes.Internal || s.Message() != "internal error" {
		t.Errorf("got %v", err)
	}
}

type lister struct {
	todov1.UnimplementedTodoServiceServer
	answer *todov1.ListTodosResponse
}

func (l lister) ListTodos(context.Context, *todov1.ListTodosRequest) (*todov1.ListTodosResponse, error) {
	return proto.CloneOf(l.answer), nil
}

func TestLocalHonoursTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, _ := options()
		var deadline time.Time
		s := local(o, &todos{upsert: func(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
			deadline, _ = ctx.Deadline()
			inner, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			<-inner.Done()
			return nil, inner.Err()
		}})
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := upsert(ctx, s)
		if status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("error is %v, want code DeadlineExceeded", err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("the call took %v, want 2s", took)
		}
		if got := deadline.Sub(start); got != 2*time.Second {
			t.Errorf("the service saw a deadline in %v, want 2s", got)
		}
	})
}

func TestLocalDoesNotStartACallThatHasEnded(t *testing.T) {
	o, _ := options()
	s := local(o, &todos{upsert: func(context.Context, *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		t.Error("the service ran")
		return &todov1.UpsertTodoResponse{}, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := upsert(ctx, s); status.Code(err) != codes.Canceled {
		t.Errorf("error is %v, want code Canceled", err)
	}
}

func TestLocalNeedsNoGoroutineToFollowTheCaller(t *testing.T) {
	o, _ := options()
	var during int
	s := local(o, &todos{upsert: func(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		inner, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		_, cancel = context.WithCancel(context.WithValue(inner, key{}, 1))
		defer cancel()
		during = runtime.NumGoroutine()
		return &todov1.UpsertTodoResponse{}, nil
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := runtime.NumGoroutine()
	if _, err := upsert(ctx, s); err != nil {
		t.Fatal(err)
	}
	if during > before {
		t.Errorf("%d goroutines during the call, %d before", during, before)
	}
}

func TestLocalRefusesWhatItCannotCarry(t *testing.T) {
	o, _ := options()
	s := local(o, &todos{upsert: func(context.Context, *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		return nil, nil //nolint:nilnil // the defect that the test is about
	}})
	ctx := withAuthorization(t.Context(), "Bearer good")
	method := todov1.TodoService_UpsertTodo_FullMethodName
	cases := map[string]struct {
		err  error
		want codes.Code
	}{
		"unknown method":    {s.Invoke(ctx, "/no/Method", &todov1.UpsertTodoRequest{}, &todov1.UpsertTodoResponse{}), codes.Unimplemented},
		"wrong request":     {s.Invoke(ctx, method, &todov1.ListTodosRequest{}, &todov1.UpsertTodoResponse{}), codes.Internal},
		"answer of nothing": {s.Invoke(ctx, method, &todov1.UpsertTodoRequest{}, &todov1.UpsertTodoResponse{}), codes.Internal},
	}
	_, err := s.NewStream(ctx, &echo.Streams[0], "/test.Echo/Echo")
	cases["unknown stream"] = struct {
		err  error
		want codes.Code
	}{err, codes.Unimplemented}
	for name, tc := range cases {
		if got := status.Code(tc.err); got != tc.want {
			t.Errorf("%s: code is %v, want %v", name, got, tc.want)
		}
	}
}

func TestLocalPanicsOnAProgrammingError(t *testing.T) {
	o, _ := options()
	for name, register := range map[string]func(){
		"twice": func() {
			todov1.RegisterTodoServiceServer(local(o, answering(nil)), answering(nil))
		},
		"not the service": func() {
			grpcserver.NewLocal(o).RegisterService(&todov1.TodoService_ServiceDesc, struct{}{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			register()
		})
	}
}

func TestLocalServesManyCallersAtOnce(t *testing.T) {
	o, _ := options()
	s := local(o, &todos{upsert: func(_ context.Context, r *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		return &todov1.UpsertTodoResponse{Todo: &todov1.Todo{Id: r.GetTodoId()}}, nil
	}})
	c := todov1.NewTodoServiceClient(s)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 50 {
				id := strconv.Itoa(i*1000 + j)
				got, err := c.UpsertTodo(withAuthorization(t.Context(), "Bearer good"), &todov1.UpsertTodoRequest{TodoId: id})
				if err != nil || got.GetTodo().GetId() != id {
					t.Errorf("answer is %v, %v, want %s", got, err, id)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkCall has what a call in memory saves of one through gRPC without a network.
func BenchmarkCall(b *testing.B) {
	o, _ := options()
	o.Logger = nil
	o.Metrics = telemetry.New().GRPCRequests(slices.Collect(maps.Keys(policy)))
	listening := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(listening, answering(nil))
	for name, conn := range map[string]grpc.ClientConnInterface{
		"local": local(o, answering(nil)), "gRPC": dial(b, listening),
	} {
		c := todov1.NewTodoServiceClient(conn)
		ctx := withAuthorization(b.Context(), "Bearer good")
		ctx = metadata.AppendToOutgoingContext(ctx, requestid.Key, "5PLQQRO5DUXJ2WFTIZZKMZCEXU")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.UpsertTodo(ctx, &todov1.UpsertTodoRequest{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
