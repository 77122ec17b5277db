package postgres_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
)

func TestLostBatchIsRepeated(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	p.Lose("INSERT 0 3", func() {})
	results, err := s.UpsertMany(t.Context(), batch(3))
	if err != nil || changed(results) != 3 {
		t.Fatalf("%d changed, %v", changed(results), err)
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

const (
	touchFirst = `UPDATE todo SET title = 'touched' WHERE id = (SELECT min(id) FROM todo)`
	touchLast  = `UPDATE todo SET title = 'touched' WHERE id = (SELECT max(id) FROM todo)`
)

// TestBatchInADeadlockChangesNothing has another transaction that locks the items the other way round.
func TestBatchInADeadlockChangesNothing(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, pgtest.With(dsn, "deadlock_timeout", pgtest.Patience))
	for n := range 3 {
		upsert(t, s, report(n))
	}
	err := pgtest.Deadlock(t, dsn, "upsert_todos", touchFirst, touchLast, func() error {
		results, err := s.UpsertMany(t.Context(), batch(3))
		if n := changed(results); n != 0 {
			t.Errorf("%d changed", n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if got := stored(t, s, report(0).ID); got.Title != "touched" {
		t.Errorf("the other change is gone: %+v", got)
	}
}

// silence publishes nothing.
type silence struct{}

// Publish implements bus.Publisher.
func (silence) Publish(context.Context, bus.Frame) {}

// TestBatchGetsOverADeadlock is the whole of it: the items of the batch are stored one by one.
func TestBatchGetsOverADeadlock(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, pgtest.With(dsn, "deadlock_timeout", pgtest.Patience))
	service := todo.New(todo.Deps{Store: s, Publisher: silence{}, Clock: time.Now, Logger: slog.New(slog.DiscardHandler)})
	var items []todo.UpsertRequest
	for n := range 3 {
		upsert(t, s, report(n))
		items = append(items, todo.UpsertRequest{Report: report(n).Report})
	}
	err := pgtest.Deadlock(t, dsn, "upsert_todos", touchFirst, touchLast, func() error {
		results, err := service.UpsertBatch(t.Context(), "erp", items)
		for _, r := range results {
			if r.Err != nil || r.Stale {
				t.Errorf("%+v", r)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if got := stored(t, s, report(n).ID); !got.ModifyTime.After(report(n).Now) {
			t.Errorf("%s is not stored: %+v", got.ID, got)
		}
	}
}

// TestReconcileInADeadlockIsRepeated closes afterwards what is still gone.
func TestReconcileInADeadlockIsRepeated(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, pgtest.With(dsn, "deadlock_timeout", pgtest.Patience))
	for n := range 3 {
		upsert(t, s, report(n))
	}
	err := pgtest.Deadlock(t, dsn, "reconcile_todos", touchFirst, touchLast, func() error {
		result, err := s.Reconcile(t.Context(), todo.ReconcileParams{
			Stamp: todo.Stamp{ClientID: "erp", Now: start.Add(time.Hour)}, AsOf: start.Add(time.Minute),
			Action: todo.Invalid, Result: "gone", MaxClose: 3,
		})
		if result.Closed != 3 {
			t.Errorf("closed %+v", result)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if got := stored(t, s, report(n).ID); got.Status != todo.Invalid {
			t.Errorf("%s is %s", got.ID, got.Status)
		}
	}
}

// changed counts the items that were.
func changed(results []todo.ChangeResult) (n int) {
	for _, r := range results {
		if r.Changed {
			n++
		}
	}
	return n
}

// batch are the first n reports.
func batch(n int) (all []todo.UpsertParams) {
	for i := range n {
		all = append(all, report(i))
	}
	return all
}
