package grpcapi

import (
	"context"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub/internal/todo"
)

// Admin is a todov1.TodoAdminServiceServer. The policy must admit administrators alone. Its errors are like
// Server's.
type Admin struct {
	todov1.UnimplementedTodoAdminServiceServer

	service *todo.Service
}

// NewAdmin makes an Admin.
func NewAdmin(s *todo.Service) *Admin { return &Admin{service: s} }

// SearchTodos answers a page of the items of many users.
func (s *Admin) SearchTodos(
	ctx context.Context, in *todov1.SearchTodosRequest,
) (*todov1.SearchTodosResponse, error) {
	r := todo.SearchRequest{
		SourceSystem: in.GetSourceSystem(),
		Status:       todo.Status(in.GetStatus()),
		AnyStatus:    in.GetAnyStatus(),
		Type:         todo.Type(in.GetType()),
		Size:         in.Size,
		Cursor:       in.GetPageToken(),
		Full:         in.GetView() == todov1.TodoView_TODO_VIEW_FULL,
	}
	if users := in.GetAssignees(); users != nil {
		r.Users = &field.Users{Names: users.GetUsernames(), ChosenBy: users.GetChosenBy()}
	}
	page, err := s.service.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	return withTodos(&todov1.SearchTodosResponse{Size: page.Size, NextPageToken: page.Next}, page.Items...), nil
}

// AdminClearTodo takes the modifier, and who cleared the item, from the caller.
func (s *Admin) AdminClearTodo(
	ctx context.Context, in *todov1.AdminClearTodoRequest,
) (*todov1.AdminClearTodoResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	done, err := s.service.ClearAny(ctx, caller.Name(), todo.ClearRequest{
		ID: in.GetTodoId(), Result: in.GetResult(), ClearedBy: caller.User, Reason: in.GetReason(),
	})
	if err != nil {
		return nil, err
	}
	return withTodos(&todov1.AdminClearTodoResponse{}, done.Item), nil
}
