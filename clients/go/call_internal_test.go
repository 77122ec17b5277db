package hub

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// A new method needs a decision, and its sentence at Client.
func TestEveryMethodIsDecided(t *testing.T) {
	methods := 0
	for _, service := range []grpc.ServiceDesc{todov1.TodoService_ServiceDesc, messagev1.MessageService_ServiceDesc} {
		for _, m := range service.Methods {
			methods++
			if name := "/" + service.ServiceName + "/" + m.MethodName; !repeatable[name] {
				t.Errorf("nobody said whether %s may be repeated", name)
			}
		}
	}
	if methods != len(repeatable) {
		t.Errorf("%d methods are named, and there are %d", len(repeatable), methods)
	}
}

func TestMethodThatIsNotKnownIsNotRepeated(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
		calls++
		return status.Error(codes.Unavailable, "away")
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	defer func() { server.Stop(); <-done }()
	client, err := Dial(Config{Target: listener.Addr().String(), Plaintext: true, Tokens: StaticToken("t")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	err = client.conns[0].Invoke(context.WithoutCancel(t.Context()), "/hub.todo.v1.TodoService/Count", &emptypb.Empty{}, &emptypb.Empty{})
	if status.Code(err) != codes.Unavailable || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
