package sqlite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
	"example.com/hub/services/todohub/internal/todo"
)

// TestWalkPlans checks that a page of the default order of a named user is read from its place in the
// index, without a sort, of one status and of any.
func TestWalkPlans(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "todo.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	place := &cursor.Key{At: time.Now(), ID: "a"}
	for _, after := range []*cursor.Key{nil, place} {
		for _, status := range []todo.Status{0, todo.Open} {
			for _, descending := range []bool{true, false} {
				t.Run(fmt.Sprintf("behind a place %t, status %d, descending %t", after != nil, status, descending), func(t *testing.T) {
					step := "SEARCH todo USING INDEX todo_list (assignee_username=? AND status=? AND type=?"
					switch {
					case after == nil:
						step += ")"
					case descending:
						step += " AND (modify_time,id)<(?,?))"
					default:
						step += " AND (modify_time,id)>(?,?))"
					}
					want := []string{step}
					if status == 0 {
						want = slices.Repeat(want, 3)
					}
					p := todo.WalkParams{ListParams: todo.ListParams{
						AssigneeUsername: "ann", Status: status, Type: todo.Handle, Page: field.Page{Size: 20},
						Sort: todo.Sort{Field: todo.SortModifyTime, Descending: descending},
					}, After: after}
					k, args := walkOf(p)
					if got := s.explain(t, k.text(), args); !slices.Equal(got, want) {
						t.Errorf("plan:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
				})
			}
		}
	}
}

// TestCountPlans checks that counts come from the index alone, but for what is overdue.
func TestCountPlans(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "todo.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	const where = "INDEX todo_list (assignee_username=? AND status=? AND type=?)"
	alone, rows := "SEARCH todo USING COVERING "+where, "SEARCH todo USING "+where
	want := []string{"SCAN CONSTANT ROW", alone, alone, rows, alone, alone}
	if got := s.explain(t, countTodos, countArgs(todo.CountParams{})); !slices.Equal(got, want) {
		t.Errorf("plan:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestReconcileReadsItsRange checks that a reconcile reads the range of ids alone.
func TestReconcileReadsItsRange(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "todo.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	got := s.explain(t, selectGone, []any{"erp", todo.Open, "a", "b", 0, "", "[]", 1})
	if want := "SEARCH todo USING INDEX sqlite_autoindex_todo_1 (id>? AND id<?)"; !slices.Contains(got, want) {
		t.Errorf("plan:\n%s\nwant in it:\n%s", strings.Join(got, "\n"), want)
	}
}

// explain gives the steps of the plan that read or sort rows.
func (s *Store) explain(t *testing.T, query string, args []any) (steps []string) {
	t.Helper()
	rows, err := s.file.Read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(step, "SEARCH") || strings.HasPrefix(step, "SCAN") || strings.Contains(step, "TEMP") {
			steps = append(steps, step)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}
