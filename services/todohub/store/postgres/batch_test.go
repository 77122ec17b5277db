package postgres_test

import (
	"testing"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
)

func TestLostBatchIsRepeated(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	p.Lose("INSERT 0 3", func() {})
	changed, err := s.UpsertMany(t.Context(), batch(3))
	if err != nil || len(changed) != 3 {
		t.Fatalf("%d changed, %v", len(changed), err)
	}
	stored(t, direct, report(2).ID)
}

// TestLostBatchLeavesLaterChange is TestLostUpsertLeavesLaterChange for a batch.
func TestLostBatchLeavesLaterChange(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	later := report(7)
	later.ID = report(1).ID
	p.Lose("INSERT 0 3", func() { upsert(t, direct, later) })
	_, err := s.UpsertMany(t.Context(), batch(3))
	wantUnavailable(t, err)
	if got := stored(t, direct, later.ID); got.SourceBizID != later.SourceBizID {
		t.Errorf("the repeat undid the later change: %+v", got)
	}
}

// TestBatchInADeadlockChangesNothing holds the last item, and reaches for the first one when the batch has
// it and waits for the last one. The server notices at the side that waits for a second.
func TestBatchInADeadlockChangesNothing(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	for n := range 3 {
		upsert(t, s, report(n))
	}
	other, beside := pgtest.Connect(t, pgtest.With(dsn, "deadlock_timeout", "60000")), pgtest.Connect(t, dsn)
	tx, err := other.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const touch = `UPDATE todo SET title = 'touched' WHERE id = $1`
	if _, err := tx.Exec(t.Context(), touch, report(2).ID); err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		changed map[string]bool
		err     error
	}
	ended := make(chan outcome, 1)
	go func() {
		changed, err := s.UpsertMany(t.Context(), batch(3))
		ended <- outcome{changed, err}
	}()
	const waiters = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '-- name: upsert_todos%'`
	for waiting := 0; waiting == 0 && t.Context().Err() == nil; {
		if err := beside.QueryRow(t.Context(), waiters).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-ended:
			t.Fatalf("the batch did not wait: %+v", got)
		default:
		}
	}
	if _, err := tx.Exec(t.Context(), touch, report(0).ID); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; got.err != nil || len(got.changed) != 0 {
		t.Errorf("%d changed, %v", len(got.changed), got.err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s, report(0).ID); got.Title != "touched" {
		t.Errorf("the other change is gone: %+v", got)
	}
}

// batch are the first n reports.
func batch(n int) (all []todo.UpsertParams) {
	for i := range n {
		all = append(all, report(i))
	}
	return all
}
