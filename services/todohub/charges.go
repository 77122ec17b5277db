package todohub

import (
	"example.com/hub/pkg/ratelimit"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// Charges say what the calls take of their client's limits: one unit each.
func (s *Service) Charges() ratelimit.Charges {
	return ratelimit.Charges{
		todov1.TodoService_UpsertTodo_FullMethodName:     {Area: ratelimit.Writes},
		todov1.TodoService_ListTodos_FullMethodName:      {Area: ratelimit.Reads},
		todov1.TodoService_ClearTodo_FullMethodName:      {Area: ratelimit.Writes},
		todov1.TodoService_InvalidateTodo_FullMethodName: {Area: ratelimit.Writes},
	}
}
