package todohub

import (
	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/ratelimit"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// Policy says who may call each method (contract, Authentication 1); a user may list her own todos.
func (s *Service) Policy() auth.Policy {
	client, user := auth.Rule{Scope: auth.ScopeClient}, auth.Rule{Scope: auth.ScopeClient, User: true}
	return auth.Policy{
		todov1.TodoService_UpsertTodo_FullMethodName:       client,
		todov1.TodoService_BatchUpsertTodos_FullMethodName: client,
		todov1.TodoService_ReconcileTodos_FullMethodName:   client,
		todov1.TodoService_ListTodos_FullMethodName:        user,
		todov1.TodoService_ClearTodo_FullMethodName:        client,
		todov1.TodoService_InvalidateTodo_FullMethodName:   client,
	}
}

// Charges say what the calls take of their client's limits: one unit each.
func (s *Service) Charges() ratelimit.Charges {
	return ratelimit.Charges{
		todov1.TodoService_UpsertTodo_FullMethodName:       {Area: ratelimit.Writes},
		todov1.TodoService_BatchUpsertTodos_FullMethodName: {Area: ratelimit.Writes},
		todov1.TodoService_ReconcileTodos_FullMethodName:   {Area: ratelimit.Writes},
		todov1.TodoService_ListTodos_FullMethodName:        {Area: ratelimit.Reads},
		todov1.TodoService_ClearTodo_FullMethodName:        {Area: ratelimit.Writes},
		todov1.TodoService_InvalidateTodo_FullMethodName:   {Area: ratelimit.Writes},
	}
}

// Entries bound the lists of requests.
func (s *Service) Entries() grpcserver.Entries {
	return grpcserver.Entries{
		"hub.todo.v1.BatchUpsertTodosRequest.items": field.MaxBatch,
		"hub.todo.v1.ReconcileTodosRequest.open":    field.MaxOpen,
	}
}
