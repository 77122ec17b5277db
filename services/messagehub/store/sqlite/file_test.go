package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/messagehub/internal/inbox"
)

func openFile(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func message(id string, targets ...string) inbox.PushParams {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	return inbox.PushParams{
		Stamp: inbox.Stamp{ClientID: "erp", Now: now}, SourceMessageID: id, Targets: targets,
		Message: inbox.Message{Title: "title", Content: "content"}, OccurredAt: now,
	}
}

func push(t *testing.T, s *Store, p inbox.PushParams) inbox.PushResult {
	t.Helper()
	result, err := s.Push(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func exec(t *testing.T, s *Store, text string) {
	t.Helper()
	if _, err := s.file.Write.ExecContext(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}

// rows counts the rows of each table.
func rows(t *testing.T, s *Store) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, table := range []string{"message", "body", "inbox"} {
		var n int
		if err := s.file.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}

func TestPushThatStoresNothingLeavesNoRow(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "inbox.db"))
	push(t, s, message("m1", "ann", "bob"))
	push(t, s, message("m1", "ann"))
	push(t, s, message("m1", "ann", "bob"))
	if diff := cmp.Diff(map[string]int{"message": 1, "body": 1, "inbox": 2}, rows(t, s)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestPushThatFailsLeavesNoRow(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "inbox.db"))
	exec(t, s, `CREATE TRIGGER refuse BEFORE INSERT ON inbox WHEN new.username = 'bob'
		BEGIN SELECT RAISE(FAIL, 'refused'); END`)
	if _, err := s.Push(t.Context(), message("m1", "ann", "bob", "cat")); err == nil {
		t.Fatal("push succeeded")
	}
	if diff := cmp.Diff(map[string]int{"message": 0, "body": 0, "inbox": 0}, rows(t, s)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	exec(t, s, `DROP TRIGGER refuse`)
	if n := len(push(t, s, message("m1", "ann", "bob", "cat")).Created); n != 3 {
		t.Errorf("the repeated push created %d records, want 3", n)
	}
}

func TestRecordsOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox.db")
	everything := inbox.ListParams{Page: field.Page{Size: 20}, Sort: inbox.Sort{Field: inbox.SortID}}
	first := openFile(t, path)
	push(t, first, message("m1", "ann", "bob"))
	if _, err := first.MarkRead(t.Context(), inbox.MarkReadParams{SourceMessageID: "m1", Username: "ann"}); err != nil {
		t.Fatal(err)
	}
	want, err := first.List(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	// A file that was not closed is what a killed process leaves.
	second := openFile(t, path)
	got, err := second.List(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if result := push(t, second, message("m1", "ann", "bob")); result.Duplicates != 2 {
		t.Errorf("a repeated push created %v, want nothing", result.Created)
	}
}

func TestRecordIDsAreNotGivenAgainAfterRowsAreGone(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "inbox.db"))
	before := push(t, s, message("m1", "ann")).Created[0].ID
	exec(t, s, `DELETE FROM inbox; DELETE FROM body; DELETE FROM message`)
	if after := push(t, s, message("m1", "ann")).Created[0].ID; after <= before {
		t.Errorf("id %q after %q, want a later one", after, before)
	}
}

func TestLockedFileIsUnavailable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "inbox.db")
	s, other := openFile(t, path), openFile(t, path)
	push(t, s, message("m1", "ann"))
	exec(t, s, `PRAGMA busy_timeout = 0`)
	tx, err := other.file.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, pushErr := s.Push(t.Context(), message("m2", "ann"))
	_, readErr := s.MarkRead(t.Context(), inbox.MarkReadParams{SourceMessageID: "m1", Username: "ann"})
	for name, err := range map[string]error{"push": pushErr, "mark read": readErr} {
		if err == nil || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: error %v, want a fault of kind Unavailable", name, err)
		}
	}
	if n, err := s.CountUnread(t.Context(), inbox.CountUnreadParams{Username: "ann"}); n != 1 || err != nil {
		t.Errorf("count beside a writer: %d, %v, want 1", n, err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	push(t, s, message("m2", "ann"))
}

func TestStatementThatIsCutOffIsUnavailable(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "inbox.db"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var n int
	err := s.file.Read.QueryRowContext(ctx, `
		WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless)
		SELECT count(*) FROM endless`).Scan(&n)
	if err = s.file.Failed(ctx, "count", err); fault.KindOf(err) != fault.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want a fault of kind Unavailable by the deadline", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("ping afterwards: %v", err)
	}
}
