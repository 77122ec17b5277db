package grpcserver_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// exchange is a stream on which a test sends what it wants, whatever the method takes.
var exchange = grpc.StreamDesc{ClientStreams: true, ServerStreams: true}

// raw is a codec for messages that are bytes already.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// receiving is a connection to a server of todos.
func receiving(t *testing.T, change func(*grpcserver.Options)) (grpc.ClientConnInterface, *logs) {
	t.Helper()
	o, l := options()
	change(&o)
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, answering(nil))
	return dial(t, s), l
}

func TestTokenIsCheckedBeforeTheMessageIsRead(t *testing.T) {
	const method = todov1.TodoService_UpsertTodo_FullMethodName
	for authorization, want := range map[string]codes.Code{
		"":               codes.Unauthenticated,
		"Bearer bad":     codes.Unauthenticated,
		"Bearer profile": codes.PermissionDenied,
	} {
		metrics := telemetry.New()
		c, l := receiving(t, func(o *grpcserver.Options) { o.Metrics = metrics.GRPCRequests([]string{method}) })
		// No message is sent, so the answer does not depend on one.
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if authorization != "" {
			ctx = withAuthorization(ctx, authorization)
		}
		stream, err := c.NewStream(ctx, &exchange, method)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.RecvMsg(new(todov1.UpsertTodoResponse)); status.Code(err) != want {
			t.Errorf("%q: %v, want %v", authorization, err, want)
		}
		header, err := stream.Header()
		if err != nil || len(header["x-request-id"]) != 1 || header["x-request-id"][0] != loggedID(t, l) {
			t.Errorf("%q: the caller is told %v, %v, and the log says %s", authorization, header, err, l)
		}
		if !strings.Contains(l.String(), `"code":"`+want.String()+`"`) {
			t.Errorf("%q: the log is %s", authorization, l)
		}
		sample := `hub_grpc_requests_total{code="` + want.String() + `",method="` + method + `"} `
		if got := telemetrytest.Scrape(metrics, sample); !slices.Equal(got, []string{sample + "1"}) {
			t.Errorf("%q: counted %q", authorization, got)
		}
	}
}

func TestRequestAboveTheLimitIsRefusedAsNotValid(t *testing.T) {
	c, _ := receiving(t, func(o *grpcserver.Options) { o.MaxReceiveBytes = 1000 })
	ctx := withAuthorization(t.Context(), "Bearer good")
	for name, options := range map[string][]grpc.CallOption{"plain": nil, "compressed": {grpc.UseCompressor(gzip.Name)}} {
		for size, want := range map[int]codes.Code{900: codes.OK, 1000: codes.InvalidArgument, 1 << 20: codes.InvalidArgument} {
			_, err := todov1.NewTodoServiceClient(c).UpsertTodo(ctx, &todov1.UpsertTodoRequest{Summary: strings.Repeat("x", size)}, options...)
			st := status.Convert(err)
			if st.Code() != want || want != codes.OK && st.Message() != "the request must be at most 1000 bytes" {
				t.Errorf("%s, %d bytes: %v, want %v", name, size, err, want)
			}
		}
	}
}

func TestRequestThatCannotBeReadIsNotValid(t *testing.T) {
	valid, err := proto.Marshal(&todov1.UpsertTodoRequest{TodoId: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		messages [][]byte
		want     codes.Code
	}{
		"one":          {[][]byte{valid}, codes.OK},
		"empty":        {[][]byte{{}}, codes.OK},
		"none":         {nil, codes.InvalidArgument},
		"two":          {[][]byte{valid, valid}, codes.InvalidArgument},
		"rubbish":      {[][]byte{{0xff, 0xff}}, codes.InvalidArgument},
		"cut":          {[][]byte{valid[:len(valid)-1]}, codes.InvalidArgument},
		"not UTF-8":    {[][]byte{{0x0a, 1, 0xff}}, codes.InvalidArgument},
		"other fields": {[][]byte{{0x98, 0x06, 7}}, codes.OK},
	} {
		c, l := receiving(t, func(*grpcserver.Options) {})
		stream, err := c.NewStream(withAuthorization(t.Context(), "Bearer good"), &exchange,
			todov1.TodoService_UpsertTodo_FullMethodName, grpc.ForceCodecV2(raw{}))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range tc.messages {
			_ = stream.SendMsg(m) // it may have been refused already
		}
		if err := stream.CloseSend(); err != nil {
			t.Fatal(err)
		}
		err = stream.RecvMsg(new([]byte))
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if st := status.Convert(err); st.Code() != tc.want || tc.want != codes.OK && st.Message() != "the request is not a valid message" {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
		if strings.Contains(l.String(), `"ERROR"`) {
			t.Errorf("%s: a caller's mistake is logged as Hub's: %s", name, l)
		}
	}
}

func TestCallWhoseCallerLeavesIsNotHubsFault(t *testing.T) {
	o, l := options()
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, answering(nil))
	ctx, cancel := context.WithCancel(withAuthorization(t.Context(), "Bearer good"))
	stream, err := dial(t, s).NewStream(ctx, &exchange, todov1.TodoService_UpsertTodo_FullMethodName)
	if err != nil {
		t.Fatal(err)
	}
	// The message comes, and the end of what the caller sends does not.
	if err := stream.SendMsg(&todov1.UpsertTodoRequest{}); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(l.String(), `"code":"Canceled"`) || strings.Contains(l.String(), `"ERROR"`) {
		t.Errorf("the log is %s", l)
	}
}

// inbox takes pushes and keeps the last.
type inbox struct {
	messagev1.UnimplementedMessageServiceServer
	last *messagev1.PushMessageRequest
}

func (i *inbox) PushMessage(_ context.Context, r *messagev1.PushMessageRequest) (*messagev1.PushMessageResponse, error) {
	i.last = r
	return &messagev1.PushMessageResponse{}, nil
}

func TestListAboveItsLimitIsRefusedBeforeItIsDecoded(t *testing.T) {
	push := func(actions int) (*messagev1.PushMessageRequest, metadata.MD, error) {
		o, _ := options()
		limits := limited()
		o.Policy = auth.Policy{messagev1.MessageService_PushMessage_FullMethodName: {Scope: auth.ScopeClient}}
		o.Limiter, o.Charges = limits.Limiter, messageCharges
		o.Entries = grpcserver.Entries{"hub.message.v1.PushMessageRequest.actions": 20}
		s, svc := grpcserver.New(o), &inbox{}
		messagev1.RegisterMessageServiceServer(s, svc)
		request := &messagev1.PushMessageRequest{Title: "t", Actions: make([]*messagev1.MessageAction, actions)}
		for i := range request.GetActions() {
			request.Actions[i] = &messagev1.MessageAction{}
		}
		var header metadata.MD
		_, err := messagev1.NewMessageServiceClient(dial(t, s)).PushMessage(
			withAuthorization(t.Context(), "Bearer good"), request, grpc.Header(&header))
		return svc.last, header, err
	}
	for _, n := range []int{0, 20, 21} { // the service refuses 21, in its order
		if got, _, err := push(n); err != nil || len(got.GetActions()) != n {
			t.Errorf("%d actions: the service got %d, %v", n, len(got.GetActions()), err)
		}
	}
	const text = "actions must have at most 20 entries"
	want := []any{&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
		{Field: "actions", Description: text},
	}}}
	for _, n := range []int{22, 100_000} {
		got, header, err := push(n)
		st := status.Convert(err)
		if st.Code() != codes.InvalidArgument || st.Message() != text || got != nil {
			t.Errorf("%d actions: the service got %d, %v", n, len(got.GetActions()), err)
		}
		if diff := cmp.Diff(want, st.Details(), protocmp.Transform()); diff != "" {
			t.Error(diff)
		}
		if state := header["ratelimit"]; len(state) != 1 || !strings.Contains(state[0], "r=3") {
			t.Errorf("the refused call took nothing of its client's limit: %v", header)
		}
	}
}
