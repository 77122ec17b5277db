package allinone_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/allinone"
)

// token gets an access token of a demo client, with all the scopes that it has.
func token(t *testing.T, hub *allinone.Hub, client string) string {
	t.Helper()
	return tokenFor(t, hub, client, client+"-secret")
}

func tokenFor(t *testing.T, hub *allinone.Hub, client, secret string) string {
	t.Helper()
	resp, err := http.PostForm(hub.URL()+"/api/login/oauth/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Token == "" {
		t.Fatalf("token: %s, %v", resp.Status, err)
	}
	return answer.Token
}

func dial(t *testing.T, hub *allinone.Hub) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(hub.GRPCAddr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func upsert(id string) *todov1.UpsertTodoRequest {
	return &todov1.UpsertTodoRequest{
		TodoId: id, Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceBizId: "1", AssigneeUsername: "alice",
		Title: "Approve", Category: "order", ActionUrl: "/orders/1",
	}
}

func TestNativeCallersSeeWhatRESTWrote(t *testing.T) {
	hub := start(t)
	conn := dial(t, hub)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token(t, hub, "erp"))
	todos, messages := todov1.NewTodoServiceClient(conn), messagev1.NewMessageServiceClient(conn)

	made, err := todos.UpsertTodo(ctx, upsert("t-1"))
	if err != nil {
		t.Fatal(err)
	}
	if got := made.GetTodo(); got.GetSourceSystem() != "erp" || got.GetStatus() != todov1.TodoStatus_TODO_STATUS_OPEN {
		t.Errorf("got %v", got)
	}
	list, err := todos.ListTodos(ctx, &todov1.ListTodosRequest{AssigneeUsername: proto.String("alice")})
	if err != nil {
		t.Fatal(err)
	}
	want := &todov1.ListTodosResponse{Todos: []*todov1.Todo{made.GetTodo()}, Size: 20, TotalCount: 1}
	if diff := cmp.Diff(want, list, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}

	counts, err := todos.CountTodos(ctx, &todov1.CountTodosRequest{
		Username: "alice", Lists: []todov1.TodoList{todov1.TodoList_TODO_LIST_DONE, todov1.TodoList_TODO_LIST_TO_HANDLE},
	})
	if diff := cmp.Diff(&todov1.CountTodosResponse{ToHandle: proto.Int64(1), Done: proto.Int64(0)}, counts, protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("counts: %v\n%s", err, diff)
	}

	push := &messagev1.PushMessageRequest{
		SourceMessageId: "m-1", TargetUsernames: []string{"alice", "bob", "alice"}, Title: "Hello", Content: "World",
	}
	for i, want := range []*messagev1.PushMessageResponse{{Created: 2}, {Duplicates: 2}} {
		got, err := messages.PushMessage(ctx, push)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("push %d: %s", i, diff)
		}
	}
	resp := get(t, hub.URL()+"/message-hub/unread-count?username=alice", token(t, hub, "portal"))
	var count struct{ Data int }
	if err := json.NewDecoder(resp.Body).Decode(&count); err != nil || count.Data != 1 {
		t.Errorf("REST counts %d, %v", count.Data, err)
	}
	read, err := messages.MarkRead(ctx, &messagev1.MarkReadRequest{SourceMessageId: "m-1", Username: "alice"})
	if err != nil || read.GetSwitched() != 1 {
		t.Errorf("switched %d, %v", read.GetSwitched(), err)
	}
}

func TestNativeErrorsNameTheField(t *testing.T) {
	hub := start(t)
	todos := todov1.NewTodoServiceClient(dial(t, hub))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token(t, hub, "erp"))

	request := upsert("")
	request.Title = ""
	_, err := todos.UpsertTodo(ctx, request)
	st := status.Convert(err)
	if st.Code() != codes.InvalidArgument || st.Message() != "todo id must not be empty" {
		t.Fatalf("got %v", err)
	}
	want := []any{&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
		{Field: "todo_id", Description: "todo id must not be empty"},
	}}}
	if diff := cmp.Diff(want, st.Details(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestNativeErrorsNameTheTodo(t *testing.T) {
	hub := start(t)
	todos := todov1.NewTodoServiceClient(dial(t, hub))
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token(t, hub, "erp"))
	if _, err := todos.UpsertTodo(ctx, upsert("t-1")); err != nil {
		t.Fatal(err)
	}
	if _, err := todos.InvalidateTodo(ctx, &todov1.InvalidateTodoRequest{TodoId: "t-1"}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]struct {
		code    codes.Code
		details []any
	}{
		"unknown": {codes.NotFound, []any{&errdetails.ResourceInfo{
			ResourceType: "todo", ResourceName: "unknown", Description: `todo "unknown" not found`,
		}}},
		"t-1": {codes.FailedPrecondition, []any{&errdetails.PreconditionFailure{
			Violations: []*errdetails.PreconditionFailure_Violation{
				{Type: "todo", Subject: "t-1", Description: `todo "t-1" is already INVALID`},
			},
		}}},
	} {
		_, err := todos.ClearTodo(ctx, &todov1.ClearTodoRequest{TodoId: id, Result: "done"})
		st := status.Convert(err)
		if st.Code() != want.code {
			t.Errorf("clear of %s: %v, want %v", id, err, want.code)
		}
		if diff := cmp.Diff(want.details, st.Details(), protocmp.Transform()); diff != "" {
			t.Errorf("clear of %s: %s", id, diff)
		}
	}
}

func TestNativeCallersNeedAToken(t *testing.T) {
	hub := start(t)
	conn := dial(t, hub)
	for _, tt := range []struct {
		name   string
		bearer []string
		want   codes.Code
	}{
		{"none", nil, codes.Unauthenticated},
		{"rubbish", []string{"Bearer x.y.z"}, codes.Unauthenticated},
		{"two", []string{"Bearer " + token(t, hub, "erp"), "Bearer " + token(t, hub, "erp")}, codes.Unauthenticated},
		{"without the scope", []string{"Bearer " + token(t, hub, "limited")}, codes.PermissionDenied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := metadata.NewOutgoingContext(t.Context(), metadata.MD{"authorization": tt.bearer})
			_, err := messagev1.NewMessageServiceClient(conn).CountUnread(ctx, &messagev1.CountUnreadRequest{Username: "alice"})
			if status.Code(err) != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestHealthAndReflectionNeedNoToken(t *testing.T) {
	hub := start(t)
	conn := dial(t, hub)
	health, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
	if err != nil || health.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", health, err)
	}
	var listed []string
	for _, service := range services(t, conn) {
		listed = append(listed, service.GetName())
		if _, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{Service: service.GetName()}); err != nil {
			t.Errorf("health of %s: %v", service.GetName(), err)
		}
	}
	want := []string{
		"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
		"hub.message.v1.MessageService", "hub.people.v1.DirectoryService", "hub.todo.v1.TodoService",
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("reflection lists (-want +got): %s", diff)
	}
	if names := services(t, dial(t, start(t, "HUB_GRPC_REFLECTION=false"))); names != nil {
		t.Errorf("reflection is off and lists %v", names)
	}
}

// services are what reflection lists, nil when it is off.
func services(t *testing.T, conn *grpc.ClientConn) []*reflectionpb.ServiceResponse {
	t.Helper()
	stream, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The server may have refused already; Recv tells.
	_ = stream.Send(&reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{},
	})
	resp, err := stream.Recv()
	if err != nil {
		return nil
	}
	return resp.GetListServicesResponse().GetService()
}
