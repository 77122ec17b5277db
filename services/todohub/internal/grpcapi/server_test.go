package grpcapi_test

import (
	"context"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/fault"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub/internal/grpcapi"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/sqlite"
)

var now = time.Date(2026, 3, 4, 5, 6, 7, 123_456_000, time.UTC)

func newServer(t *testing.T) *grpcapi.Server {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "todo.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return grpcapi.New(todo.New(todo.Deps{
		Store: store, Publisher: &bustest.Recorder{}, Rules: todo.Rules{MaxPageSize: 200, ListTimeout: time.Minute},
		Clock: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
	}))
}

func as(t *testing.T, client string) context.Context {
	t.Helper()
	return auth.With(t.Context(), auth.Principal{Client: client})
}

func fullRequest() *todov1.UpsertTodoRequest {
	return &todov1.UpsertTodoRequest{
		TodoId: "a", Type: todov1.TodoType_TODO_TYPE_REVIEW, SourceBizId: "biz", AssigneeUsername: "ann",
		InitiatorUsername: "ian", Title: "title", Summary: "summary", Category: "category", ActionUrl: "/act",
		DueAt: timestamppb.New(now.Add(time.Hour + time.Nanosecond)),
	}
}

func wantTodo(t *testing.T, want, got *todov1.Todo) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("todo (-want +got):\n%s", diff)
	}
}

func TestATodoFromUpsertToClear(t *testing.T) {
	s := newServer(t)
	want := &todov1.Todo{
		Id: "a", Type: todov1.TodoType_TODO_TYPE_REVIEW, SourceSystem: "erp", SourceBizId: "biz", AssigneeUsername: "ann",
		InitiatorUsername: "ian", Title: "title", Summary: "summary", Category: "category", ActionUrl: "/act",
		DueAt: timestamppb.New(now.Add(time.Hour)), Status: todov1.TodoStatus_TODO_STATUS_OPEN,
		CreateTime: timestamppb.New(now), ModifyTime: timestamppb.New(now), CreatorId: "erp", ModifierId: "erp",
	}
	upserted, err := s.UpsertTodo(as(t, "erp"), fullRequest())
	if err != nil {
		t.Fatal(err)
	}
	wantTodo(t, want, decoded(t, upserted).GetTodo())

	listed, err := s.ListTodos(as(t, "portal"), &todov1.ListTodosRequest{
		AssigneeUsername: proto.String("ann"), Type: todov1.TodoType_TODO_TYPE_REVIEW, Size: proto.Int64(500),
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPage := &todov1.ListTodosResponse{Todos: []*todov1.Todo{want}, Size: 200, TotalCount: 1}
	if diff := cmp.Diff(wantPage, decoded(t, listed), protocmp.Transform()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}

	cleared, err := s.ClearTodo(as(t, "portal"), &todov1.ClearTodoRequest{
		TodoId: "a", Result: "read", ClearedAt: timestamppb.New(now.Add(-time.Hour)), ClearedBy: "ann", Reason: "why",
	})
	if err != nil {
		t.Fatal(err)
	}
	want.Status, want.Result, want.ClearedBy, want.Reason = todov1.TodoStatus_TODO_STATUS_CLEARED, "read", "ann", "why"
	want.ClearedAt, want.ModifierId = timestamppb.New(now.Add(-time.Hour)), "portal"
	wantTodo(t, want, decoded(t, cleared).GetTodo())
}

func TestInvalidateTodo(t *testing.T) {
	s := newServer(t)
	upserted, err := s.UpsertTodo(as(t, "erp"), fullRequest())
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.InvalidateTodo(as(t, "portal"), &todov1.InvalidateTodoRequest{TodoId: "a", Reason: "void"})
	if err != nil {
		t.Fatal(err)
	}
	want := decoded(t, upserted).GetTodo()
	want.Status, want.Reason, want.ModifierId = todov1.TodoStatus_TODO_STATUS_INVALID, "void", "portal"
	wantTodo(t, want, decoded(t, got).GetTodo())
}

func TestListOfNobodyIsEmpty(t *testing.T) {
	got, err := newServer(t).ListTodos(as(t, "portal"), &todov1.ListTodosRequest{Page: proto.Int64(3)})
	if err != nil {
		t.Fatal(err)
	}
	want := &todov1.ListTodosResponse{Page: 3, Size: 20}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestListByPageToken(t *testing.T) {
	s := newServer(t)
	var items []*todov1.Todo
	for _, id := range []string{"a", "b", "c"} {
		req := fullRequest()
		req.TodoId, req.Type = id, todov1.TodoType_TODO_TYPE_HANDLE
		upserted, err := s.UpsertTodo(as(t, "erp"), req)
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, decoded(t, upserted).GetTodo())
	}
	req := &todov1.ListTodosRequest{PageToken: proto.String(""), Size: proto.Int64(2), AnyStatus: true}
	first, err := s.ListTodos(as(t, "portal"), req)
	if err != nil || first.GetNextPageToken() == "" {
		t.Fatalf("the first page: %v, %v", first, err)
	}
	want := &todov1.ListTodosResponse{Todos: []*todov1.Todo{items[2], items[1]}, Size: 2, NextPageToken: first.GetNextPageToken()}
	if diff := cmp.Diff(want, decoded(t, first), protocmp.Transform()); diff != "" {
		t.Errorf("first page (-want +got):\n%s", diff)
	}
	req.PageToken = &first.NextPageToken
	last, err := s.ListTodos(as(t, "portal"), req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&todov1.ListTodosResponse{Todos: items[:1], Size: 2}, decoded(t, last), protocmp.Transform()); diff != "" {
		t.Errorf("last page (-want +got):\n%s", diff)
	}
	req.AnyStatus = false
	if _, err := s.ListTodos(as(t, "portal"), req); err == nil || fault.As(err).Field != "page_token" {
		t.Errorf("the token in another list: %v", err)
	}
}

func TestListSort(t *testing.T) {
	s := newServer(t)
	for id, title := range map[string]string{"a": "2", "b": "1", "c": "3"} {
		req := fullRequest()
		req.TodoId, req.Title, req.Type = id, title, todov1.TodoType_TODO_TYPE_HANDLE
		if _, err := s.UpsertTodo(as(t, "erp"), req); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		sort *todov1.TodoSort
		want string
	}{
		{"absent is the latest first", nil, "cba"},
		{"without a field by modify time", &todov1.TodoSort{}, "abc"},
		{"title", &todov1.TodoSort{Field: todov1.TodoSortField_TODO_SORT_FIELD_TITLE}, "bac"},
		{"title, descending", &todov1.TodoSort{Field: todov1.TodoSortField_TODO_SORT_FIELD_TITLE, Descending: true}, "cab"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resp, err := s.ListTodos(as(t, "portal"), &todov1.ListTodosRequest{Sort: tt.sort})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, item := range decoded(t, resp).GetTodos() {
				got.WriteString(item.GetId())
			}
			if got.String() != tt.want {
				t.Errorf("order %s, want %s", got.String(), tt.want)
			}
		})
	}
}

// Whatever the edge could not represent comes as a number or an instant that does not exist.
func TestRefusesWhatDoesNotExist(t *testing.T) {
	s := newServer(t)
	if _, err := s.UpsertTodo(as(t, "erp"), fullRequest()); err != nil {
		t.Fatal(err)
	}
	upsert := func(change func(*todov1.UpsertTodoRequest)) error {
		req := fullRequest()
		change(req)
		_, err := s.UpsertTodo(as(t, "erp"), req)
		return err
	}
	list := func(req *todov1.ListTodosRequest) error {
		_, err := s.ListTodos(as(t, "erp"), req)
		return err
	}
	bad := &timestamppb.Timestamp{Seconds: math.MinInt64}
	for name, tt := range map[string]struct {
		err   error
		field string
	}{
		"type -1":      {upsert(func(r *todov1.UpsertTodoRequest) { r.Type = -1 }), "type"},
		"type 257":     {upsert(func(r *todov1.UpsertTodoRequest) { r.Type = 257 }), "type"},
		"type missing": {upsert(func(r *todov1.UpsertTodoRequest) { r.Type = 0 }), "type"},
		"due at":       {upsert(func(r *todov1.UpsertTodoRequest) { r.DueAt = bad }), "due_at"},
		"due at, nanos": {upsert(func(r *todov1.UpsertTodoRequest) {
			r.DueAt = &timestamppb.Timestamp{Nanos: -1}
		}), "due_at"},
		"due at, year 10000": {upsert(func(r *todov1.UpsertTodoRequest) {
			r.DueAt = &timestamppb.Timestamp{Seconds: 253402300800}
		}), "due_at"},
		"status -1":      {list(&todov1.ListTodosRequest{Status: -1}), "status"},
		"list type 9":    {list(&todov1.ListTodosRequest{Type: 9}), "type"},
		"sort -1":        {list(&todov1.ListTodosRequest{Sort: &todov1.TodoSort{Field: -1}}), "sort"},
		"empty username": {list(&todov1.ListTodosRequest{AssigneeUsername: proto.String("")}), "assignee_username"},
		"cleared at": {func() error {
			_, err := s.ClearTodo(as(t, "erp"), &todov1.ClearTodoRequest{TodoId: "a", Result: "r", ClearedAt: bad})
			return err
		}(), "cleared_at"},
	} {
		if f := fault.As(tt.err); tt.err == nil || f.Kind != fault.Invalid || f.Field != tt.field {
			t.Errorf("%s: %v, want a fault of %s", name, tt.err, tt.field)
		}
	}
}

func TestCallsNeedCaller(t *testing.T) {
	s := newServer(t)
	ctx := t.Context()
	_, upsert := s.UpsertTodo(ctx, fullRequest())
	_, clearing := s.ClearTodo(ctx, &todov1.ClearTodoRequest{TodoId: "a", Result: "r"})
	_, invalidate := s.InvalidateTodo(ctx, &todov1.InvalidateTodoRequest{TodoId: "a"})
	_, list := s.ListTodos(ctx, &todov1.ListTodosRequest{})
	for name, err := range map[string]error{"list": list, "upsert": upsert, "clear": clearing, "invalidate": invalidate} {
		if err == nil || fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%s without a caller: %v, want Unauthenticated", name, err)
		}
	}
}

// The domain's numbers are converted to the proto's without a table, so their names must agree.
func TestEnumsAgree(t *testing.T) {
	for _, tt := range []struct {
		enum   protoreflect.Enum
		domain func(n int32) string
	}{
		{todov1.TodoType(0), func(n int32) string { return todo.Type(n).String() }},
		{todov1.TodoStatus(0), func(n int32) string { return todo.Status(n).String() }},
		{todov1.TodoSortField(0), func(n int32) string { return todo.SortField(n).String() }},
	} {
		values := tt.enum.Descriptor().Values()
		for i := 1; i < values.Len(); i++ {
			v := values.Get(i)
			got := strings.ToLower(tt.domain(int32(v.Number())))
			if name := strings.ToLower(strings.ReplaceAll(string(v.Name()), "_", "")); got == "" || !strings.HasSuffix(name, got) {
				t.Errorf("%s is %q in the domain", v.Name(), got)
			}
		}
	}
}
