package todohub

import (
	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/ratelimit"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// Policy names the scope that each method needs (contract, Authentication 1).
func (s *Service) Policy() auth.Policy {
	return auth.Policy{
		todov1.TodoService_UpsertTodo_FullMethodName:     auth.ScopeClient,
		todov1.TodoService_ListTodos_FullMethodName:      auth.ScopeClient,
		todov1.TodoService_ClearTodo_FullMethodName:      auth.ScopeClient,
		todov1.TodoService_InvalidateTodo_FullMethodName: auth.ScopeClient,
	}
}

// Charges say what the calls take of their client's limits: one unit each.
func (s *Service) Charges() ratelimit.Charges {
	return ratelimit.Charges{
		todov1.TodoService_UpsertTodo_FullMethodName:     {Area: ratelimit.Writes},
		todov1.TodoService_ListTodos_FullMethodName:      {Area: ratelimit.Reads},
		todov1.TodoService_ClearTodo_FullMethodName:      {Area: ratelimit.Writes},
		todov1.TodoService_InvalidateTodo_FullMethodName: {Area: ratelimit.Writes},
	}
}

// Entries are none: no request has a list.
func (s *Service) Entries() grpcserver.Entries { return nil }
