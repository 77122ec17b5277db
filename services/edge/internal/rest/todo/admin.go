package todo

import (
	"context"
	"net/http"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	todogw "example.com/hub/services/edge/internal/gatewaypb/hub/todo/v1"
	"example.com/hub/services/edge/internal/rest"
)

// Admin is what administrators do with the todos of all users.
func Admin(hub grpc.ClientConnInterface) rest.Area {
	admin := auth.Rule{Permission: auth.PermissionTodos}
	area := rest.Area{Hub: hub, Register: registerAdmin}
	for _, todos := range []string{"/admin/todo-hub/todos", "/portal/admin/todos"} {
		area.Endpoints = append(area.Endpoints, rest.Endpoint{
			Method: http.MethodGet, Path: todos, Rule: admin,
			Read: rest.Reads(readSearch), Write: rest.List(Item), MaxRecord: maxItem,
		}, rest.Endpoint{
			Method: http.MethodPost, Path: todos + "/{todoId}/clear", Rule: admin,
			Read: rest.Reads(readAdminClear), Write: rest.Item(Item),
		})
	}
	return area
}

func registerAdmin(ctx context.Context, mux *runtime.ServeMux, hub grpc.ClientConnInterface) error {
	return todogw.RegisterTodoAdminServiceHandlerClient(ctx, mux, todov1.NewTodoAdminServiceClient(hub))
}

func readSearch(r *rest.Request, m *todov1.SearchTodosRequest) error {
	if r.Full() {
		m.View = todov1.TodoView_TODO_VIEW_FULL
		r.Larger(maxFull)
	}
	r.ChooseUsers(func(users rest.Chosen) {
		m.Assignees = &todov1.TodoAssignees{Usernames: users.Usernames, ChosenBy: users.By}
	})
	m.SourceSystem = r.Text("sourceSystem")
	status := r.Text("status")
	m.AnyStatus = strings.EqualFold(status, "all")
	if !m.AnyStatus {
		m.Status = statuses.Parse(status, r.Extended())
	}
	m.Type = types.Parse(r.Text("type"), r.Extended())
	m.PageToken, m.Size = r.Walk()
	return nil
}

// AdminClearBody is the body of an administrator's clear. She is the one who cleared the item.
type AdminClearBody struct {
	Result string `json:"result"`
	Reason string `json:"reason"`
}

func readAdminClear(r *rest.Request, m *todov1.AdminClearTodoRequest) error {
	in, err := rest.Body[AdminClearBody](r)
	if err != nil {
		return err
	}
	r.Extended()
	m.Result = in.Result
	m.Reason = in.Reason
	return nil
}
