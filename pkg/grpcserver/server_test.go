package grpcserver_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/grpcserver"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

func TestReflectionIsOffUnlessAskedFor(t *testing.T) {
	for name, on := range map[string]bool{"off": false, "on": true} {
		t.Run(name, func(t *testing.T) {
			o, _ := options()
			o.Reflection = on
			stream, err := reflectionpb.NewServerReflectionClient(dial(t, grpcserver.New(o))).ServerReflectionInfo(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			// When it is off the stream may have ended before the request is sent.
			_ = stream.Send(&reflectionpb.ServerReflectionRequest{
				MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{},
			})
			_, err = stream.Recv()
			want := codes.Unimplemented
			if on {
				want = codes.OK
			}
			if got := status.Code(err); got != want {
				t.Errorf("code is %v, want %v", got, want)
			}
		})
	}
}

func TestReflectionListsWhatCallersMayUse(t *testing.T) {
	o := guarded(t, nil, true)
	o.Reflection = true
	o.Policy[messagev1.MessageService_CountUnread_FullMethodName] = auth.Rule{Scope: auth.ScopeClient}
	for _, method := range eventv1.EventService_ServiceDesc.Methods {
		o.Policy["/hub.event.v1.EventService/"+method.MethodName] = auth.Rule{Internal: true}
	}
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, answering(nil))
	messagev1.RegisterMessageServiceServer(s, &messagev1.UnimplementedMessageServiceServer{})
	eventv1.RegisterEventServiceServer(s, &eventv1.UnimplementedEventServiceServer{})
	stream, err := reflectionpb.NewServerReflectionClient(dial(t, s)).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	request := &reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}
	if err := stream.Send(request); err != nil {
		t.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range answer.GetListServicesResponse().GetService() {
		if strings.HasPrefix(s.GetName(), "hub.") {
			got = append(got, s.GetName())
		}
	}
	// One of the methods of TodoService is internal here, and the others are not.
	if want := []string{"hub.message.v1.MessageService", "hub.todo.v1.TodoService"}; !slices.Equal(got, want) {
		t.Errorf("reflection lists %v, want %v", got, want)
	}
}

// echo is a service with a stream, which no service of Hub has had so far.
var echo = grpc.ServiceDesc{
	ServiceName: "test.Echo",
	HandlerType: (*any)(nil),
	Streams: []grpc.StreamDesc{{
		StreamName: "Echo", ServerStreams: true, ClientStreams: true,
		Handler: func(_ any, s grpc.ServerStream) error {
			in := new(healthpb.HealthCheckRequest)
			if err := s.RecvMsg(in); err != nil {
				return err
			}
			return s.SendMsg(in)
		},
	}},
}

func TestStreamPassesTheSameInterceptor(t *testing.T) {
	const method = "/test.Echo/Echo"
	cases := map[string]struct {
		token  string
		listed bool
		want   codes.Code
	}{
		"good":      {"Bearer good", true, codes.OK},
		"no scope":  {"Bearer profile", true, codes.PermissionDenied},
		"bad token": {"Bearer bad", true, codes.Unauthenticated},
		"unlisted":  {"Bearer good", false, codes.PermissionDenied},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o, _ := options()
			if tc.listed {
				o.Policy = auth.Policy{method: {Scope: auth.ScopeClient}}
			}
			s := grpcserver.New(o)
			s.RegisterService(&echo, struct{}{})
			stream, err := dial(t, s).NewStream(withAuthorization(t.Context(), tc.token), &echo.Streams[0], method)
			if err != nil {
				t.Fatal(err)
			}
			// A refused stream may have ended before the request is sent.
			_ = stream.SendMsg(&healthpb.HealthCheckRequest{Service: "x"})
			got := new(healthpb.HealthCheckRequest)
			if err := stream.RecvMsg(got); status.Code(err) != tc.want {
				t.Fatalf("error is %v, want code %v", err, tc.want)
			}
			if tc.want == codes.OK && got.GetService() != "x" {
				t.Errorf("echo is %q, want x", got.GetService())
			}
		})
	}
}

func TestStop(t *testing.T) {
	start := func(t *testing.T) (s *grpcserver.Server, running <-chan struct{}, release chan<- struct{}, result <-chan error) {
		t.Helper()
		entered, left := make(chan struct{}), make(chan struct{})
		o, _ := options()
		s = grpcserver.New(o)
		todov1.RegisterTodoServiceServer(s, &todos{
			upsert: func(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
				close(entered)
				select {
				case <-left:
					return &todov1.UpsertTodoResponse{}, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			},
		})
		c := dial(t, s)
		done := make(chan error, 1)
		go func() {
			_, err := upsert(t.Context(), c)
			done <- err
		}()
		return s, entered, left, done
	}

	t.Run("lets running calls end", func(t *testing.T) {
		s, running, release, result := start(t)
		<-running
		stopped := make(chan error, 1)
		go func() { stopped <- s.Stop(t.Context()) }()
		close(release)
		if err := <-result; err != nil {
			t.Errorf("the running call failed: %v", err)
		}
		if err := <-stopped; err != nil {
			t.Errorf("Stop: %v", err)
		}
	})
	t.Run("cuts them off at the deadline", func(t *testing.T) {
		s, running, _, result := start(t)
		<-running
		ctx, cancel := context.WithCancelCause(t.Context())
		late := errors.New("too late")
		cancel(late)
		if err := s.Stop(ctx); !errors.Is(err, late) {
			t.Errorf("Stop: %v, want %v", err, late)
		}
		if err := <-result; err == nil {
			t.Error("the call that was cut off succeeded")
		}
	})
}
