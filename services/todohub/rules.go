package todohub

import (
	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/ratelimit"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub/internal/todo"
)

// Policy says who may call each method (contract, Authentication 1); a user may list and count her own todos,
// and an administrator may list and clear those of all.
func (s *Service) Policy() auth.Policy {
	client, user := auth.Rule{Scope: auth.ScopeClient}, auth.Rule{Scope: auth.ScopeClient, User: true}
	admin := auth.Rule{Permission: auth.PermissionTodos}
	return auth.Policy{
		todov1.TodoService_UpsertTodo_FullMethodName:          client,
		todov1.TodoService_BatchUpsertTodos_FullMethodName:    client,
		todov1.TodoService_ReconcileTodos_FullMethodName:      client,
		todov1.TodoService_ListTodos_FullMethodName:           user,
		todov1.TodoService_CountTodos_FullMethodName:          user,
		todov1.TodoService_ClearTodo_FullMethodName:           client,
		todov1.TodoService_InvalidateTodo_FullMethodName:      client,
		todov1.TodoAdminService_SearchTodos_FullMethodName:    admin,
		todov1.TodoAdminService_AdminClearTodo_FullMethodName: admin,
	}
}

// Charges say what the calls take of their client's limits: one unit each.
func (s *Service) Charges() ratelimit.Charges {
	return ratelimit.Charges{
		todov1.TodoService_UpsertTodo_FullMethodName:          {Area: ratelimit.Writes},
		todov1.TodoService_BatchUpsertTodos_FullMethodName:    {Area: ratelimit.Writes},
		todov1.TodoService_ReconcileTodos_FullMethodName:      {Area: ratelimit.Writes},
		todov1.TodoService_ListTodos_FullMethodName:           {Area: ratelimit.Reads},
		todov1.TodoService_CountTodos_FullMethodName:          {Area: ratelimit.Reads},
		todov1.TodoService_ClearTodo_FullMethodName:           {Area: ratelimit.Writes},
		todov1.TodoService_InvalidateTodo_FullMethodName:      {Area: ratelimit.Writes},
		todov1.TodoAdminService_SearchTodos_FullMethodName:    {Area: ratelimit.Reads},
		todov1.TodoAdminService_AdminClearTodo_FullMethodName: {Area: ratelimit.Writes},
	}
}

// Entries are the lengths of the lists in requests, above which they are not decoded.
func (s *Service) Entries() grpcserver.Entries {
	return grpcserver.Entries{
		"hub.todo.v1.BatchUpsertTodosRequest.items": field.MaxBatch,
		"hub.todo.v1.ReconcileTodosRequest.open":    field.MaxOpen,
		"hub.todo.v1.CountTodosRequest.lists":       todo.MaxUserLists,
		"hub.todo.v1.TodoAssignees.usernames":       field.MaxSearched,
	}
}
