// Package grpcapi serves the todo area as hub.todo.v1.TodoService. It only translates; who calls is
// taken from the verified token that the frame left in the context.
package grpcapi

import (
	"context"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub/internal/todo"
)

// Server implements todov1.TodoServiceServer.
type Server struct {
	todov1.UnimplementedTodoServiceServer

	todos *todo.Service
}

// New makes a Server.
func New(todos *todo.Service) *Server { return &Server{todos: todos} }

// UpsertTodo implements todov1.TodoServiceServer.
func (s *Server) UpsertTodo(ctx context.Context, req *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
	client, err := clientID(ctx)
	if err != nil {
		return nil, err
	}
	item, err := s.todos.Upsert(ctx, client, todo.Report{
		ID:                req.GetTodoId(),
		Type:              todo.Type(req.GetType()),
		SourceBizID:       req.GetSourceBizId(),
		AssigneeUsername:  req.GetAssigneeUsername(),
		InitiatorUsername: req.GetInitiatorUsername(),
		Title:             req.GetTitle(),
		Summary:           req.GetSummary(),
		Category:          req.GetCategory(),
		ActionURL:         req.GetActionUrl(),
		DueAt:             instant(req.GetDueAt()),
	})
	if err != nil {
		return nil, err
	}
	return &todov1.UpsertTodoResponse{Todo: message(item)}, nil
}

// ListTodos implements todov1.TodoServiceServer.
func (s *Server) ListTodos(ctx context.Context, req *todov1.ListTodosRequest) (*todov1.ListTodosResponse, error) {
	q := todo.Query{
		AssigneeUsername: req.AssigneeUsername,
		Status:           todo.Status(req.GetStatus()),
		Type:             todo.Type(req.GetType()),
		Page:             req.Page,
		Size:             req.Size,
		Sort:             sortOf(req.GetSort()),
	}
	page, err := s.todos.List(ctx, q)
	if err != nil {
		return nil, err
	}
	resp := &todov1.ListTodosResponse{
		Todos: make([]*todov1.Todo, len(page.Items)),
		Page:  page.Number, Size: page.Size, TotalCount: page.Total,
	}
	for i, item := range page.Items {
		resp.Todos[i] = message(item)
	}
	return resp, nil
}

// ClearTodo implements todov1.TodoServiceServer.
func (s *Server) ClearTodo(ctx context.Context, req *todov1.ClearTodoRequest) (*todov1.ClearTodoResponse, error) {
	client, err := clientID(ctx)
	if err != nil {
		return nil, err
	}
	item, err := s.todos.Clear(ctx, client, todo.Clearing{
		ID:        req.GetTodoId(),
		Result:    req.GetResult(),
		ClearedAt: instant(req.GetClearedAt()),
		ClearedBy: req.GetClearedBy(),
		Reason:    req.GetReason(),
	})
	if err != nil {
		return nil, err
	}
	return &todov1.ClearTodoResponse{Todo: message(item)}, nil
}

// InvalidateTodo implements todov1.TodoServiceServer.
func (s *Server) InvalidateTodo(ctx context.Context, req *todov1.InvalidateTodoRequest) (*todov1.InvalidateTodoResponse, error) {
	client, err := clientID(ctx)
	if err != nil {
		return nil, err
	}
	item, err := s.todos.Invalidate(ctx, client, todo.Invalidation{ID: req.GetTodoId(), Reason: req.GetReason()})
	if err != nil {
		return nil, err
	}
	return &todov1.InvalidateTodoResponse{Todo: message(item)}, nil
}

// clientID is the source of what the call writes (contract, Authentication 5).
func clientID(ctx context.Context) (string, error) {
	caller, ok := auth.CallerFrom(ctx)
	if !ok {
		return "", fault.New(fault.Unauthenticated, "a client token is needed")
	}
	return caller.ClientID, nil
}
