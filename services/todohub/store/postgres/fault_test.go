package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/pgcall"
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

func TestMigrateFromManyAtOnce(t *testing.T) {
	dsn := schema(t)
	var group errgroup.Group
	for range 8 {
		s, err := postgres.Open(t.Context(), postgres.Config{URL: dsn, MaxConns: 1, AcquireTimeout: 500 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		group.Go(func() error { return s.Migrate(t.Context()) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	upsert(t, open(t, dsn), report(1))
}

func TestPingFailsBeforeMigrate(t *testing.T) {
	s, err := postgres.Open(t.Context(), postgres.Config{URL: schema(t), MaxConns: 1, AcquireTimeout: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if s.Ping(t.Context()) == nil {
		t.Error("ready without a schema")
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("after Migrate: %v", err)
	}
}

func TestDatabaseIsAway(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // it accepts connections and never answers
	refused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = refused.Close()
	for name, address := range map[string]string{
		"refuses connections": refused.Addr().String(), "never answers": listener.Addr().String(),
	} {
		t.Run(name, func(t *testing.T) {
			s, err := postgres.Open(t.Context(), postgres.Config{
				URL: "postgres://hub:letmein@" + address + "/hub?sslmode=disable", MaxConns: 2, AcquireTimeout: 500 * time.Millisecond,
			})
			if err != nil {
				t.Fatalf("open: %v", err)
			}
			defer s.Close()
			began := time.Now()
			wantUnavailable(t, s.Ping(t.Context()))
			_, err = s.Upsert(t.Context(), report(1))
			wantUnavailable(t, err)
			if strings.Contains(fmt.Sprint(err), "letmein") {
				t.Errorf("the error shows the password: %v", err)
			}
			if took := time.Since(began); took > 4*time.Second {
				t.Errorf("two calls took %v", took)
			}
		})
	}
}

// TestConnectionsEnd ends all connections of the store at the server.
func TestConnectionsEnd(t *testing.T) {
	dsn := schema(t)
	app := "test-" + dsn[len(dsn)-8:]
	s := open(t, with(dsn, "application_name", app))
	conn := connect(t, dsn)
	for range 5 {
		var group errgroup.Group
		for n := range 20 {
			group.Go(func() error {
				_, err := s.Upsert(t.Context(), report(n))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		var ended int
		err := conn.QueryRow(t.Context(),
			`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1`, app).Scan(&ended)
		if err != nil || ended == 0 {
			t.Fatalf("ended %d connections, %v", ended, err)
		}
		if _, err := s.Upsert(t.Context(), report(7)); err != nil {
			t.Errorf("the next call: %v", err)
		}
	}
}

func TestLostUpsertIsRepeated(t *testing.T) {
	dsn := schema(t)
	direct := open(t, dsn)
	p, through := throughProxy(t, dsn)
	s := open(t, through)
	lost := 0
	p.lose("INSERT 0 1", func() { lost++ })
	item, err := s.Upsert(t.Context(), report(1))
	if err != nil || lost != 1 {
		t.Fatalf("upsert with %d lost answers: %v", lost, err)
	}
	if diff := cmp.Diff(stored(t, direct, item.ID), item); diff != "" {
		t.Errorf("answer (-stored +got):\n%s", diff)
	}
}

// TestLostUpsertLeavesLaterChange lets another client change the item between a lost upsert and its
// repeat.
func TestLostUpsertLeavesLaterChange(t *testing.T) {
	dsn := schema(t)
	direct := open(t, dsn)
	p, through := throughProxy(t, dsn)
	s := open(t, through)
	later := report(2)
	later.ID = report(1).ID
	p.lose("INSERT 0 1", func() { upsert(t, direct, later) })
	_, err := s.Upsert(t.Context(), report(1))
	wantUnavailable(t, err)
	if got := stored(t, direct, later.ID); got.SourceBizID != later.SourceBizID {
		t.Errorf("the repeat undid the later change: %+v", got)
	}
}

func TestLostClearIsRepeated(t *testing.T) {
	dsn := schema(t)
	direct := open(t, dsn)
	p, through := throughProxy(t, dsn)
	s := open(t, through)
	upsert(t, direct, report(1))
	id := report(1).ID
	p.lose("UPDATE 1", func() {})
	_, switched, err := s.Clear(t.Context(), todo.ClearParams{
		Stamp: todo.Stamp{ClientID: "erp", Now: start}, ID: id, Result: "done", ClearedAt: start,
	})
	if err != nil || switched {
		t.Errorf("clear: switched %v, %v; want that the repeat finds the item cleared", switched, err)
	}
	if got := stored(t, direct, id); got.Status != todo.Cleared || got.Result != "done" {
		t.Errorf("stored %+v", got)
	}
}

// locked opens a store with one connection, whose calls wait for a lock on the table until unlock.
func locked(t *testing.T) (s *postgres.Store, beside *pgx.Conn, unlock func()) {
	t.Helper()
	dsn := schema(t)
	s, err := postgres.Open(t.Context(), postgres.Config{URL: dsn, MaxConns: 1, AcquireTimeout: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	beside = connect(t, dsn)
	tx, err := connect(t, dsn).Begin(t.Context())
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
	_, _, err := s.List(ctx, latest(20))
	wantUnavailable(t, err)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v does not name the deadline", err)
	}
	waitForWaiters(t, beside, 0)
}

func TestFullPoolDoesNotQueue(t *testing.T) {
	s, beside, unlock := locked(t)
	ctx, cancel := context.WithCancel(t.Context())
	var group errgroup.Group
	group.Go(func() error {
		_, _, err := s.List(ctx, latest(20))
		return err
	})
	waitForWaiters(t, beside, 1)
	began := time.Now()
	_, err := s.Get(t.Context(), todo.GetParams{ID: "a"})
	wantUnavailable(t, err)
	if took := time.Since(began); took > 1500*time.Millisecond {
		t.Errorf("it took %v to say so", took)
	}
	stats := s.Stats()
	want := pgcall.PoolStats{InUse: 1, Max: 1, Timeouts: 1, Waits: stats.Waits, WaitTime: stats.WaitTime}
	if stats != want {
		t.Errorf("stats are %+v, want %+v", stats, want)
	}
	cancel()
	if err := group.Wait(); !errors.Is(err, context.Canceled) || fault.KindOf(err) == fault.Unavailable {
		t.Errorf("the caller who left got %v", err)
	}
	if got := s.Stats().Timeouts; got != 1 {
		t.Errorf("%d timeouts after a call that was canceled, want 1", got)
	}
	unlock()
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestReadOnlyServer stands for a primary that became a standby: its connections take no writes.
func TestReadOnlyServer(t *testing.T) {
	dsn := schema(t)
	open(t, dsn)
	s, err := postgres.Open(t.Context(), postgres.Config{URL: with(dsn, "default_transaction_read_only", "on"), MaxConns: 2, AcquireTimeout: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	_, err = s.Upsert(t.Context(), report(1))
	wantUnavailable(t, err)
}
