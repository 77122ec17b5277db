package todohub_test

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/auth/onbehalf"
	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/grpcserver"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub"
)

var edgeKey = strings.Repeat("k", 32)

// dialEdge serves the todo area to clients, and to an edge that has edgeKey.
func dialEdge(t *testing.T, environ ...string) grpc.ClientConnInterface {
	t.Helper()
	c, err := load(t, environ...)
	if err != nil {
		t.Fatal(err)
	}
	service, err := todohub.New(todohub.Deps{Config: c, Store: openStore(t), Publisher: &bustest.Recorder{}})
	if err != nil {
		t.Fatal(err)
	}
	key, err := internalkey.New(edgeKey)
	if err != nil {
		t.Fatal(err)
	}
	local := grpcserver.NewLocal(grpcserver.Options{
		Verifier: tokens{}, Policy: service.Policy(), Edges: grpcserver.Edges{Key: key}, Entries: service.Entries(),
	})
	service.Register(local)
	return local
}

// asUser is a call that an edge makes for a user.
func asUser(t *testing.T, username string, permissions ...string) context.Context {
	t.Helper()
	said := onbehalf.Encode(auth.Principal{User: username, Permissions: permissions})
	said["authorization"] = "Bearer " + edgeKey
	return metadata.NewOutgoingContext(t.Context(), metadata.New(said))
}

func TestAdminCallsAreForAdministratorsAlone(t *testing.T) {
	conn := dialEdge(t)
	admin := todov1.NewTodoAdminServiceClient(conn)
	if _, err := todov1.NewTodoServiceClient(conn).UpsertTodo(as(t, "erp/client"), request("a")); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func(ctx context.Context) error{
		"SearchTodos": func(ctx context.Context) error {
			_, err := admin.SearchTodos(ctx, &todov1.SearchTodosRequest{})
			return err
		},
		"AdminClearTodo": func(ctx context.Context) error {
			_, err := admin.AdminClearTodo(ctx, &todov1.AdminClearTodoRequest{TodoId: "a", Result: "done"})
			return err
		},
	} {
		for want, callers := range map[codes.Code]map[string]context.Context{
			codes.Unauthenticated: {
				"nobody":                 t.Context(),
				"a user who says it":     metadata.AppendToOutgoingContext(t.Context(), onbehalf.User, "amy", onbehalf.Permissions, "todos"),
				"a user beside a client": metadata.AppendToOutgoingContext(as(t, "erp/client"), onbehalf.User, "amy", onbehalf.Permissions, "todos"),
			},
			codes.PermissionDenied: {
				"a client":               as(t, "erp/client"),
				"a client with its name": as(t, "erp/todos"),
				"an edge for itself":     as(t, edgeKey),
				"a user":                 asUser(t, "amy"),
				"a user with all others": asUser(t, "amy", "apps", "content", "directory", "messages"),
			},
			codes.OK: {
				"a user with the permission":  asUser(t, "carla", "todos"),
				"a user with it among others": asUser(t, "carla", "apps", "todos"),
			},
		} {
			for who, ctx := range callers {
				if got := status.Code(call(ctx)); got != want {
					t.Errorf("%s by %s: %v, want %v", name, who, got, want)
				}
			}
		}
	}
}

func TestAdministratorsClearForeignItems(t *testing.T) {
	conn := dialEdge(t, "HUB_TODO_OWNERSHIP=source")
	admin := todov1.NewTodoAdminServiceClient(conn)
	if _, err := todov1.NewTodoServiceClient(conn).UpsertTodo(as(t, "erp/client"), request("a")); err != nil {
		t.Fatal(err)
	}
	ctx := asUser(t, "carla", "todos")
	cleared, err := admin.AdminClearTodo(ctx, &todov1.AdminClearTodoRequest{TodoId: "a", Result: "done", Reason: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	if got := cleared.GetTodo(); got.GetClearedBy() != "carla" || got.GetModifierId() != "user:carla" || got.GetReason() != "gone" || got.GetClearedAt() == nil {
		t.Errorf("cleared: %v", got)
	}
	found, err := admin.SearchTodos(ctx, &todov1.SearchTodosRequest{
		Status: todov1.TodoStatus_TODO_STATUS_CLEARED, Assignees: &todov1.TodoAssignees{Usernames: []string{"ann"}, ChosenBy: "ann"},
	})
	if err != nil || len(found.GetTodos()) != 1 || found.GetSize() != 20 || found.GetNextPageToken() != "" {
		t.Errorf("found %v, %v", found, err)
	}
	_, err = admin.AdminClearTodo(ctx, &todov1.AdminClearTodoRequest{TodoId: "b", Result: "done"})
	wantStatus(t, err, codes.NotFound, `todo "b" not found`)
	_, err = admin.AdminClearTodo(ctx, &todov1.AdminClearTodoRequest{TodoId: "a"})
	wantStatus(t, err, codes.InvalidArgument, "result must not be empty")
}
