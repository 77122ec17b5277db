package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/todohub/internal/todo"
)

// These tests reach into the store for what the conformance suite cannot see.

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func exec(t *testing.T, s *Store, text string) {
	t.Helper()
	if _, err := s.file.Write.ExecContext(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func upsertParams(id string) todo.UpsertParams {
	return todo.UpsertParams{
		Stamp:  todo.Stamp{ClientID: "erp", Now: time.UnixMicro(1).UTC()},
		Report: todo.Report{ID: id, Type: todo.Handle, AssigneeUsername: "ann"},
	}
}

func TestItemsOutliveTheStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "todo.db")
	first := open(t, path)
	want, err := first.Upsert(t.Context(), upsertParams("a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := open(t, path).Get(t.Context(), todo.GetParams{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Item, got); diff != "" {
		t.Errorf("item after reopening (-want +got):\n%s", diff)
	}
}

func TestOpenRefusesAnotherSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "todo.db")
	s := open(t, path)
	exec(t, s, `UPDATE schema_migrations SET checksum = 'other'`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), path)
	if err == nil || !strings.HasPrefix(err.Error(), "open "+path+": ") || !strings.Contains(err.Error(), "0001_create_todo") {
		t.Errorf("Open = %v, want an error that names the file and the migration", err)
	}
}

// The contract of the index: whoever has ten thousand items waits no longer for a page than others.
func TestDefaultListNeedsOnlyTheIndex(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	const search = "SEARCH todo USING COVERING INDEX todo_list (assignee_username=? AND status=? AND type=?)"
	for _, descending := range []bool{true, false} {
		k := listKey{assigned: true, sort: todo.Sort{Field: todo.SortModifyTime, Descending: descending}}
		got := plan(t, s, k.page(), 1, 1, "ann", 20, 0)
		want := []string{
			"SEARCH todo USING INDEX sqlite_autoindex_todo_1 (id=?)", "LIST SUBQUERY 2", search, "SCALAR SUBQUERY 1", search,
			"USE TEMP B-TREE FOR ORDER BY", // sorts the one page
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("plan of the list, descending %v (-want +got):\n%s", descending, diff)
		}
		k.shallow = true
		got = plan(t, s, k.page(), 1, 1, "ann", 20, 0)
		want = []string{strings.Replace(search, "COVERING ", "", 1), "SCALAR SUBQUERY 1", search}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("plan of the first pages, descending %v (-want +got):\n%s", descending, diff)
		}
	}
	if diff := cmp.Diff([]string{search}, plan(t, s, listKey{assigned: true}.count(), 1, 1, "ann")); diff != "" {
		t.Errorf("plan of the count (-want +got):\n%s", diff)
	}
}

func plan(t *testing.T, s *Store, query string, args ...any) []string {
	t.Helper()
	rows, err := s.file.Read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestLockedFileIsUnavailable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "todo.db")
	s, other := open(t, path), open(t, path)
	exec(t, s, `PRAGMA busy_timeout = 0`)
	tx, err := other.file.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Upsert(t.Context(), upsertParams("a"))
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("upsert into a locked file = %v, want Unavailable", err)
	}
	if _, err := s.List(t.Context(), todo.ListParams{Page: field.Page{Size: 1}, Sort: todo.Sort{Field: todo.SortID}}); err != nil {
		t.Errorf("readers wait for the writer: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Upsert(t.Context(), upsertParams("a")); err != nil {
		t.Errorf("after the lock was released: %v", err)
	}
}

// The only writer connection is taken, so the call waits in the pool until its time is over.
func TestDeadlineIsUnavailableAndCancelIsNot(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	tx, err := s.file.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := s.Upsert(ctx, upsertParams("a")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("upsert after its deadline = %v, want Unavailable", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := s.Upsert(ctx, upsertParams("a")); !errors.Is(err, context.Canceled) || fault.KindOf(err) != fault.Internal {
		t.Errorf("upsert of a caller who left = %v, want context.Canceled", err)
	}
}

// A foreign key that is checked at the commit makes the commit fail after the row was answered.
func TestFailedCommitIsReported(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "todo.db"))
	exec(t, s, `CREATE TABLE parent (id INTEGER PRIMARY KEY)`)
	exec(t, s, `CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`)
	exec(t, s, `CREATE TRIGGER orphan AFTER INSERT ON todo BEGIN INSERT INTO child (parent) VALUES (1); END`)
	if item, err := s.Upsert(t.Context(), upsertParams("a")); err == nil {
		t.Errorf("upsert answered %v although its commit failed", item)
	}
	if _, err := s.Get(t.Context(), todo.GetParams{ID: "a"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("get after the failed commit = %v, want NotFound", err)
	}
}
