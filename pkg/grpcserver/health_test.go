package grpcserver_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/grpcserver"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// serving connects to a server of todos and, for Hub itself, of events.
func serving(t *testing.T, process healthpb.HealthServer) grpc.ClientConnInterface {
	t.Helper()
	o, _ := options()
	o.Health = process
	o.Policy = auth.Policy{
		todov1.TodoService_UpsertTodo_FullMethodName:        {Scope: auth.ScopeClient},
		eventv1.EventService_ListEvents_FullMethodName:      {Internal: true},
		eventv1.EventService_GetNewestRecord_FullMethodName: {Internal: true},
	}
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, answering(nil))
	eventv1.RegisterEventServiceServer(s, eventv1.UnimplementedEventServiceServer{})
	return dial(t, s)
}

func TestHealthByTheNameOfAService(t *testing.T) {
	process := health.NewServer()
	for _, want := range []healthpb.HealthCheckResponse_ServingStatus{
		healthpb.HealthCheckResponse_SERVING, healthpb.HealthCheckResponse_NOT_SERVING,
	} {
		process.SetServingStatus("", want)
		c := healthpb.NewHealthClient(serving(t, process))
		for _, service := range []string{"", "hub.todo.v1.TodoService"} {
			got, err := c.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
			if err != nil || got.GetStatus() != want {
				t.Errorf("health of %q is %v, %v, want %v", service, got.GetStatus(), err, want)
			}
		}
		list, err := c.List(t.Context(), &healthpb.HealthListRequest{})
		if err != nil || list.GetStatuses()[""].GetStatus() != want || list.GetStatuses()["hub.todo.v1.TodoService"].GetStatus() != want {
			t.Errorf("list is %v, %v, want %v", list, err, want)
		}
		for _, service := range []string{"hub.todo.v1", "hub.todo.v1.TodoService/UpsertTodo", "hub.event.v1.EventService"} {
			_, err := c.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
			if status.Code(err) != codes.NotFound || list.GetStatuses()[service] != nil {
				t.Errorf("health of %q is %v, and in the list %v", service, err, list.GetStatuses()[service])
			}
		}
	}
}

func TestHealthIsNotWatched(t *testing.T) {
	// No request is sent, so the answer does not depend on one.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	stream, err := serving(t, nil).NewStream(ctx, &exchange, healthpb.Health_Watch_FullMethodName)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.RecvMsg(new(healthpb.HealthCheckResponse)); status.Code(err) != codes.Unimplemented {
		t.Errorf("watch answers %v, want Unimplemented", err)
	}
}

func TestOpenCallsReadShortMessagesOnly(t *testing.T) {
	const text = "the request must be at most 4096 bytes"
	long := strings.Repeat("x", 4097)
	_, err := healthpb.NewHealthClient(serving(t, nil)).Check(t.Context(), &healthpb.HealthCheckRequest{Service: long})
	if st := status.Convert(err); st.Code() != codes.InvalidArgument || st.Message() != text {
		t.Errorf("health of a long name: %v", err)
	}

	o, _ := options()
	o.Reflection = true
	stream, err := reflectionpb.NewServerReflectionClient(dial(t, grpcserver.New(o))).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, symbol := range []string{"grpc.health.v1.Health", long} {
		// The server may have refused already; Recv tells.
		_ = stream.Send(&reflectionpb.ServerReflectionRequest{
			MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: symbol},
		})
		_, err := stream.Recv()
		switch st := status.Convert(err); {
		case symbol != long && err != nil:
			t.Errorf("reflection of %s: %v", symbol, err)
		case symbol == long && (st.Code() != codes.InvalidArgument || st.Message() != text):
			t.Errorf("reflection of a long name: %v", err)
		}
	}
}
