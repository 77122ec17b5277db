package todohub_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/grpcserver"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub"
	"example.com/hub/services/todohub/store/sqlite"
)

// tokens takes "client/scope" for a token.
type tokens struct{}

func (tokens) Verify(_ context.Context, raw string) (auth.Principal, error) {
	client, scope, ok := strings.Cut(raw, "/")
	if !ok {
		return auth.Principal{}, fault.New(fault.Unauthenticated, "the token is not valid")
	}
	return auth.Principal{Client: client, Scopes: []string{scope}}, nil
}

func openStore(t *testing.T) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "todo.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// dial serves the todo area in memory behind the interceptor that every binary uses.
func dial(t *testing.T, environ ...string) todov1.TodoServiceClient {
	t.Helper()
	c, err := load(t, environ...)
	if err != nil {
		t.Fatal(err)
	}
	service, err := todohub.New(todohub.Deps{
		Config: c, Store: openStore(t), Publisher: &bustest.Recorder{}, Clock: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	local := grpcserver.NewLocal(grpcserver.Options{Verifier: tokens{}, Policy: service.Policy()})
	service.Register(local)
	return todov1.NewTodoServiceClient(local)
}

func as(t *testing.T, token string) context.Context {
	t.Helper()
	return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
}

func request(id string) *todov1.UpsertTodoRequest {
	return &todov1.UpsertTodoRequest{
		TodoId: id, Type: todov1.TodoType_TODO_TYPE_HANDLE, SourceBizId: "biz", AssigneeUsername: "ann",
		Title: "title", Category: "category", ActionUrl: "https://erp.example.com/1",
	}
}

func wantStatus(t *testing.T, err error, code codes.Code, message string) {
	t.Helper()
	if st := status.Convert(err); st.Code() != code || st.Message() != message {
		t.Errorf("status is %v %q, want %v %q", st.Code(), st.Message(), code, message)
	}
}

func TestATodoFromUpsertToClear(t *testing.T) {
	client := dial(t)
	if _, err := client.UpsertTodo(as(t, "erp/client"), request("a")); err != nil {
		t.Fatal(err)
	}
	cleared, err := client.ClearTodo(as(t, "portal/client"), &todov1.ClearTodoRequest{TodoId: "a", Result: "done"})
	if err != nil {
		t.Fatal(err)
	}
	if got := cleared.GetTodo(); got.GetSourceSystem() != "erp" || got.GetModifierId() != "portal" || !got.GetClearedAt().AsTime().Equal(got.GetModifyTime().AsTime()) {
		t.Errorf("cleared item is %v, want source erp, modifier portal, cleared now", got)
	}
	listed, err := client.ListTodos(as(t, "portal/client"), &todov1.ListTodosRequest{Status: todov1.TodoStatus_TODO_STATUS_CLEARED})
	if err != nil {
		t.Fatal(err)
	}
	if listed.GetTotalCount() != 1 || listed.GetTodos()[0].GetId() != "a" {
		t.Errorf("done list is %v, want the item", listed)
	}
}

func TestFailuresHaveTheirCodes(t *testing.T) {
	client := dial(t, "HUB_TODO_OWNERSHIP=source", "HUB_TODO_OPERATORS=ops, admin", "HUB_URL_SCHEMES=HTTPS")
	ctx := as(t, "erp/client")
	if _, err := client.UpsertTodo(ctx, request("a")); err != nil {
		t.Fatal(err)
	}

	_, err := client.UpsertTodo(ctx, &todov1.UpsertTodoRequest{})
	wantStatus(t, err, codes.InvalidArgument, "todo id must not be empty")
	plain := request("a")
	plain.ActionUrl = "http://erp.example.com/1"
	_, err = client.UpsertTodo(ctx, plain)
	wantStatus(t, err, codes.InvalidArgument, "action url must use one of the schemes https")
	_, err = client.ClearTodo(ctx, &todov1.ClearTodoRequest{TodoId: "b", Result: "done"})
	wantStatus(t, err, codes.NotFound, `todo "b" not found`)
	_, err = client.UpsertTodo(as(t, "crm/client"), request("a"))
	wantStatus(t, err, codes.PermissionDenied, "the item belongs to another client")
	if _, err := client.InvalidateTodo(as(t, "admin/client"), &todov1.InvalidateTodoRequest{TodoId: "a"}); err != nil {
		t.Errorf("invalidate by an operator: %v", err)
	}
	_, err = client.ClearTodo(ctx, &todov1.ClearTodoRequest{TodoId: "a", Result: "done"})
	wantStatus(t, err, codes.FailedPrecondition, `todo "a" is already INVALID`)
}

func TestEveryMethodNeedsTheScopeClient(t *testing.T) {
	client := dial(t)
	for name, call := range map[string]func(ctx context.Context) error{
		"UpsertTodo": func(ctx context.Context) error {
			_, err := client.UpsertTodo(ctx, request("a"))
			return err
		},
		"ListTodos": func(ctx context.Context) error {
			_, err := client.ListTodos(ctx, &todov1.ListTodosRequest{})
			return err
		},
		"CountTodos": func(ctx context.Context) error {
			_, err := client.CountTodos(ctx, &todov1.CountTodosRequest{Username: "ann", Lists: []todov1.TodoList{todov1.TodoList_TODO_LIST_DONE}})
			return err
		},
		"ClearTodo": func(ctx context.Context) error {
			_, err := client.ClearTodo(ctx, &todov1.ClearTodoRequest{TodoId: "a", Result: "done"})
			return err
		},
		"InvalidateTodo": func(ctx context.Context) error {
			_, err := client.InvalidateTodo(ctx, &todov1.InvalidateTodoRequest{TodoId: "a"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := status.Code(call(t.Context())); got != codes.Unauthenticated {
				t.Errorf("without a token: %v, want Unauthenticated", got)
			}
			for token, want := range map[string]codes.Code{
				"forged": codes.Unauthenticated, "limited/profile": codes.PermissionDenied,
			} {
				if got := status.Code(call(as(t, token))); got != want {
					t.Errorf("token %s: %v, want %v", token, got, want)
				}
			}
		})
	}
	listed, err := client.ListTodos(as(t, "portal/client"), &todov1.ListTodosRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if n := listed.GetTotalCount(); n != 0 {
		t.Errorf("refused calls stored %d items", n)
	}
}

func TestPolicyNamesEveryMethod(t *testing.T) {
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	service, err := todohub.New(todohub.Deps{Config: c, Store: openStore(t), Publisher: &bustest.Recorder{}})
	if err != nil {
		t.Fatal(err)
	}
	policy := service.Policy()
	methods := todov1.TodoService_ServiceDesc.Methods
	for _, m := range methods {
		if rule := policy["/"+todov1.TodoService_ServiceDesc.ServiceName+"/"+m.MethodName]; rule.Scope != auth.ScopeClient {
			t.Errorf("%s needs scope %q, want client", m.MethodName, rule.Scope)
		}
	}
	admin := todov1.TodoAdminService_ServiceDesc.Methods
	for _, m := range admin {
		rule := policy["/"+todov1.TodoAdminService_ServiceDesc.ServiceName+"/"+m.MethodName]
		if rule != (auth.Rule{Permission: auth.PermissionTodos}) {
			t.Errorf("%s is for %+v, want administrators", m.MethodName, rule)
		}
	}
	if n := len(methods) + len(admin); len(policy) != n {
		t.Errorf("the policy has %d entries for %d methods", len(policy), n)
	}
}

func TestPingFollowsStore(t *testing.T) {
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	store := openStore(t)
	service, err := todohub.New(todohub.Deps{Config: c, Store: store, Publisher: &bustest.Recorder{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := service.Ping(t.Context()); err == nil {
		t.Error("ping without a store succeeded")
	}
}

func TestNewRefuses(t *testing.T) {
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := todohub.New(todohub.Deps{Config: c, Publisher: &bustest.Recorder{}}); err == nil {
		t.Error("New without a store succeeded")
	}
	if _, err := todohub.New(todohub.Deps{Config: c, Store: openStore(t)}); err == nil {
		t.Error("New without a publisher succeeded")
	}
	if _, err := todohub.New(todohub.Deps{Store: openStore(t), Publisher: &bustest.Recorder{}}); err == nil {
		t.Error("New without settings succeeded")
	}
}
