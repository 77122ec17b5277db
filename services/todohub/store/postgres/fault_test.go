package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/postgres"
)

// wantUnavailable checks the kind, and that the caller is told nothing else.
func wantUnavailable(t *testing.T, err error) {
	t.Helper()
	f := fault.As(err)
	if err == nil || f.Kind != fault.Unavailable || !strings.HasPrefix(f.Public, "the database is ") {
		t.Errorf("got %v, want a fault of kind Unavailable", err)
	}
}

func stored(t *testing.T, s *postgres.Store, id string) todo.Item {
	t.Helper()
	item, err := s.Get(t.Context(), todo.GetParams{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return item
}

func latest(size int64) todo.ListParams {
	return todo.ListParams{
		Status: todo.Open, Type: todo.Handle,
		Sort: todo.Sort{Field: todo.SortModifyTime, Descending: true}, Page: field.Page{Size: size},
	}
}

// TestEveryCallTellsThatTheDatabaseIsAway asks a port that nobody listens on.
func TestEveryCallTellsThatTheDatabaseIsAway(t *testing.T) {
	s, err := postgres.Open(t.Context(), pg.Deps{
		Config: pg.Config{URL: "postgres://127.0.0.1:1/hub?sslmode=disable", MaxConns: 1, AcquireTimeout: 500 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for name, call := range map[string]func(ctx context.Context) error{
		"upsert": func(ctx context.Context) error { _, err := s.Upsert(ctx, report(1)); return err },
		"clear":  func(ctx context.Context) error { _, err := s.Clear(ctx, todo.ClearParams{}); return err },
		"invalidate": func(ctx context.Context) error {
			_, err := s.Invalidate(ctx, todo.InvalidateParams{})
			return err
		},
		"get":  func(ctx context.Context) error { _, err := s.Get(ctx, todo.GetParams{}); return err },
		"list": func(ctx context.Context) error { _, err := s.List(ctx, latest(20)); return err },
		"ping": s.Ping,
	} {
		t.Run(name, func(t *testing.T) { wantUnavailable(t, call(t.Context())) })
	}
}

func TestLostUpsertIsRepeated(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	lost := 0
	p.Lose("INSERT 0 1", func() { lost++ })
	result, err := s.Upsert(t.Context(), report(1))
	if err != nil || lost != 1 {
		t.Fatalf("upsert with %d lost answers: %v", lost, err)
	}
	if diff := cmp.Diff(stored(t, direct, report(1).ID), result.Item); diff != "" {
		t.Errorf("answer (-stored +got):\n%s", diff)
	}
}

// TestLostMoveTellsWhoseTheItemWas loses the answer of an upsert, and of a batch, that gives an item to another
// user. The repeat finds it with that user.
func TestLostMoveTellsWhoseTheItemWas(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	all := batch(3)
	for i := range all {
		upsert(t, direct, all[i])
		all[i].AssigneeUsername = "bob"
	}
	p.Lose("INSERT 0 1", func() {})
	result, err := s.Upsert(t.Context(), all[0])
	if err != nil || !result.Repeated || result.Item.FormerAssignee != report(0).AssigneeUsername {
		t.Errorf("upsert: %+v, %v", result, err)
	}
	p.Lose("INSERT 0 2", func() {})
	results, err := s.UpsertMany(t.Context(), all[1:])
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if !r.Changed || !r.Repeated || r.Item.FormerAssignee != report(i+1).AssigneeUsername {
			t.Errorf("batch: %+v", r)
		}
	}
}

// TestLostUpsertLeavesLaterChange lets another client change the item between a lost upsert and its
// repeat.
func TestLostUpsertLeavesLaterChange(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	later := report(2)
	later.ID = report(1).ID
	p.Lose("INSERT 0 1", func() { upsert(t, direct, later) })
	_, err := s.Upsert(t.Context(), report(1))
	wantUnavailable(t, err)
	if got := stored(t, direct, later.ID); got.SourceBizID != later.SourceBizID {
		t.Errorf("the repeat undid the later change: %+v", got)
	}
}

func TestLostClearIsRepeated(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	upsert(t, direct, report(1))
	id := report(1).ID
	p.Lose("UPDATE 1", func() {})
	result, err := s.Clear(t.Context(), todo.ClearParams{
		Stamp: todo.Stamp{ClientID: "erp", Now: start}, ID: id, Result: "done", ClearedAt: start,
	})
	if err != nil || result.Changed || !result.Repeated {
		t.Errorf("clear: %+v, %v; want that the repeat finds the item cleared", result, err)
	}
	if got := stored(t, direct, id); got.Status != todo.Cleared || got.Result != "done" {
		t.Errorf("stored %+v", got)
	}
}

// locked opens a store with one connection, whose calls wait for a lock on the table until unlock.
func locked(t *testing.T) (s *postgres.Store, beside *pgx.Conn, unlock func()) {
	t.Helper()
	dsn := pgtest.Schema(t)
	s = pgtest.Open(t, pg.Config{URL: dsn, MaxConns: 1, AcquireTimeout: 500 * time.Millisecond}, postgres.Open)
	beside = pgtest.Connect(t, dsn)
	tx, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `LOCK TABLE todo`); err != nil {
		t.Fatal(err)
	}
	return s, beside, func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }
}

// waitForWaiters returns when n of the store's statements wait for the lock.
func waitForWaiters(t *testing.T, beside *pgx.Conn, n int) {
	t.Helper()
	for waiting := -1; waiting != n; {
		err := beside.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'todo'::regclass`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestSlowListEndsAtServer(t *testing.T) {
	s, beside, unlock := locked(t)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := s.List(ctx, latest(20))
	wantUnavailable(t, err)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v does not name the deadline", err)
	}
	waitForWaiters(t, beside, 0)
}
