package sqlite_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/pkg/telemetry/tracing/tracingtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/sqlite"
)

// TestStatementsOfATracedCallAreSpans makes every call once for a request, and once for none.
func TestStatementsOfATracedCallAreSpans(t *testing.T) {
	tracer, end := tracingtest.Open(t)
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "todo.db"), sqlitefile.Traced(tracer))
	if err != nil {
		t.Fatal(err)
	}
	calls := func(ctx context.Context, id string) {
		upsert := todo.UpsertParams{Report: todo.Report{ID: id, Type: todo.Handle, AssigneeUsername: "canary"}}
		if _, err := s.Upsert(ctx, upsert); err != nil {
			t.Error(err)
		}
		list := todo.ListParams{Status: todo.Open, Type: todo.Handle, Sort: todo.Sort{Field: todo.SortModifyTime}, Page: field.Page{Size: 1}}
		if _, _, err := s.List(ctx, list); err != nil {
			t.Error(err)
		}
		if _, _, err := s.Clear(ctx, todo.ClearParams{ID: id}); err != nil {
			t.Error(err)
		}
		if _, _, err := s.Invalidate(ctx, todo.InvalidateParams{ID: id}); err != nil {
			t.Error(err)
		}
		if _, err := s.Get(ctx, todo.GetParams{ID: id}); err != nil {
			t.Error(err)
		}
	}
	calls(t.Context(), "canary-1")
	ctx, request := tracer.Request(t.Context(), http.Header{})
	calls(ctx, "canary-2")
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, _ = s.Get(gone, todo.GetParams{ID: "canary"})
	request.Answered("GET /todo-hub/todos", 200, "erp")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range end() {
		if s.Kind != "client" {
			continue
		}
		got = append(got, fmt.Sprint(s.Name, " ", s.Attributes["db.response.returned_rows"], " ", s.Failed))
		if strings.Contains(fmt.Sprint(s), "canary") || s.Attributes["db.system.name"] != "sqlite" {
			t.Errorf("got %+v", s)
		}
	}
	want := []string{
		"upsert_todo int_value:1 false", "list_todos int_value:1 false", "count_todos int_value:1 false",
		"clear_todo int_value:1 false", "invalidate_todo int_value:0 false", "get_todo int_value:1 false",
	}
	// Package sql may notice itself that the caller left.
	got = slices.DeleteFunc(got, func(line string) bool { return line == "get_todo int_value:0 true" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
