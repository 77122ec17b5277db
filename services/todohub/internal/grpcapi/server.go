// Package grpcapi serves the todo area as hub.todo.v1.TodoService. It only translates: what a request may
// hold is decided in the package todo.
package grpcapi

import (
	"context"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/pbtime"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub/internal/todo"
)

// Server is a todov1.TodoServiceServer. Every call needs a verified caller in its context; its errors are
// faults, which the frame of pkg/grpcserver turns into a status.
type Server struct {
	todov1.UnimplementedTodoServiceServer

	service *todo.Service
}

// New makes a Server.
func New(s *todo.Service) *Server { return &Server{service: s} }

// UpsertTodo takes the source system from the caller's token (contract, Authentication 5).
func (s *Server) UpsertTodo(
	ctx context.Context, in *todov1.UpsertTodoRequest,
) (*todov1.UpsertTodoResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	done, err := s.service.Upsert(ctx, caller.Client, todo.UpsertRequest{Report: report(in)})
	if err != nil {
		return nil, err
	}
	return withTodos(&todov1.UpsertTodoResponse{Stale: done.Stale}, done.Item), nil
}

// BatchUpsertTodos is UpsertTodo for many.
func (s *Server) BatchUpsertTodos(
	ctx context.Context, in *todov1.BatchUpsertTodosRequest,
) (*todov1.BatchUpsertTodosResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]todo.UpsertRequest, len(in.GetItems()))
	for i, item := range in.GetItems() {
		items[i].Report = report(item)
	}
	results, err := s.service.UpsertBatch(ctx, caller.Client, items)
	if err != nil {
		return nil, err
	}
	return batch(results), nil
}

// ReconcileTodos closes what is gone at the caller.
func (s *Server) ReconcileTodos(
	ctx context.Context, in *todov1.ReconcileTodosRequest,
) (*todov1.ReconcileTodosResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	done, err := s.service.Reconcile(ctx, caller.Client, reconcileRequest(in))
	if err != nil {
		return nil, err
	}
	return &todov1.ReconcileTodosResponse{
		Closed: done.Closed, ClosedIds: done.IDs, Missing: done.Missing, Stale: done.Stale,
	}, nil
}

// CountTodos answers how long lists of a user are.
func (s *Server) CountTodos(
	ctx context.Context, in *todov1.CountTodosRequest,
) (*todov1.CountTodosResponse, error) {
	if _, err := auth.RequireFor(ctx, &in.Username); err != nil {
		return nil, err
	}
	counts, err := s.service.Count(ctx, todo.CountRequest{Username: in.GetUsername(), Lists: lists(in.GetLists())})
	if err != nil {
		return nil, err
	}
	return &todov1.CountTodosResponse{
		ToHandle: counts.ToHandle, ToRead: counts.ToRead, Overdue: counts.Overdue, Done: counts.Done, Read: counts.Read,
	}, nil
}

// ClearTodo takes the modifier from the caller's token.
func (s *Server) ClearTodo(
	ctx context.Context, in *todov1.ClearTodoRequest,
) (*todov1.ClearTodoResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	done, err := s.service.Clear(ctx, caller.Client, todo.ClearRequest{
		ID:            in.GetTodoId(),
		Result:        in.GetResult(),
		ClearedAt:     pbtime.Instant(in.GetClearedAt()),
		ClearedBy:     in.GetClearedBy(),
		Reason:        in.GetReason(),
		SourceVersion: in.SourceVersion,
	})
	if err != nil {
		return nil, err
	}
	return withTodos(&todov1.ClearTodoResponse{Stale: done.Stale}, done.Item), nil
}

// InvalidateTodo takes the modifier from the caller's token.
func (s *Server) InvalidateTodo(
	ctx context.Context, in *todov1.InvalidateTodoRequest,
) (*todov1.InvalidateTodoResponse, error) {
	caller, err := auth.Require(ctx)
	if err != nil {
		return nil, err
	}
	done, err := s.service.Invalidate(ctx, caller.Client, todo.InvalidateRequest{
		ID: in.GetTodoId(), Reason: in.GetReason(), SourceVersion: in.SourceVersion,
	})
	if err != nil {
		return nil, err
	}
	return withTodos(&todov1.InvalidateTodoResponse{Stale: done.Stale}, done.Item), nil
}

// ListTodos answers one page of items, by its number or, with a page token, by its place.
func (s *Server) ListTodos(
	ctx context.Context, in *todov1.ListTodosRequest,
) (*todov1.ListTodosResponse, error) {
	if _, err := auth.RequireFor(ctx, in.AssigneeUsername); err != nil {
		return nil, err
	}
	page, err := s.service.List(ctx, todo.ListRequest{
		AssigneeUsername: in.AssigneeUsername,
		Status:           todo.Status(in.GetStatus()),
		AnyStatus:        in.GetAnyStatus(),
		Type:             todo.Type(in.GetType()),
		Page:             in.Page,
		Size:             in.Size,
		Sort:             sort(in.GetSort()),
		Cursor:           in.PageToken,
		Full:             in.GetView() == todov1.TodoView_TODO_VIEW_FULL,
	})
	if err != nil {
		return nil, err
	}
	return withTodos(&todov1.ListTodosResponse{
		Page: page.Number, Size: page.Size, TotalCount: page.Total, NextPageToken: page.Next,
	}, page.Items...), nil
}
