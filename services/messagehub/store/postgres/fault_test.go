package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/outbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// wantUnavailable checks the kind, and that the caller is told nothing else.
func wantUnavailable(t *testing.T, err error) {
	t.Helper()
	f := fault.As(err)
	if err == nil || f.Kind != fault.Unavailable || !strings.HasPrefix(f.Public, "the database is ") {
		t.Errorf("got %v, want a fault of kind Unavailable", err)
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
		"push": func(ctx context.Context) error { _, err := s.Push(ctx, pushTo(1)); return err },
		"list": func(ctx context.Context) error { _, err := s.List(ctx, defaultList("", 20)); return err },
		"count unread": func(ctx context.Context) error {
			_, err := s.CountUnread(ctx, inbox.CountUnreadParams{})
			return err
		},
		"newest":    func(ctx context.Context) error { _, err := s.NewestID(ctx, inbox.NewestIDParams{}); return err },
		"mark read": func(ctx context.Context) error { _, err := s.MarkRead(ctx, inbox.MarkReadParams{}); return err },
		"mark all read": func(ctx context.Context) error {
			_, err := s.MarkAllRead(ctx, inbox.MarkAllReadParams{Rows: 1})
			return err
		},
		"count many": func(ctx context.Context) error {
			_, err := s.CountUnreadBatch(ctx, inbox.CountUnreadBatchParams{Usernames: []string{"ann"}})
			return err
		},
		"walk": func(ctx context.Context) error {
			_, err := s.Walk(ctx, inbox.WalkParams{ListParams: defaultList("ann", 20)})
			return err
		},
		"hold":    func(ctx context.Context) error { _, err := s.Hold(ctx, outbox.HoldParams{}); return err },
		"release": func(ctx context.Context) error { return s.Release(ctx, "a", bus.Position{}) },
		"rows":    func(ctx context.Context) error { _, err := s.Rows(ctx, bus.Position{}, 1); return err },
		"events": func(ctx context.Context) error {
			_, err := s.Events(ctx, []outbox.Row{{Kind: bus.Message}})
			return err
		},
		"since": func(ctx context.Context) error { _, err := s.Since(ctx, time.Second); return err },
		"trim":  func(ctx context.Context) error { _, err := s.Trim(ctx, outbox.TrimParams{}); return err },
		"ping":  s.Ping,
	} {
		t.Run(name, func(t *testing.T) { wantUnavailable(t, call(t.Context())) })
	}
}

// TestLostPushIsRepeated loses the answer to a push after the server did its work.
func TestLostPushIsRepeated(t *testing.T) {
	for _, tt := range []struct {
		name   string
		known  int
		all    int
		answer string
	}{
		{"one statement", 0, 3, "SELECT 1"},
		{"a key that was there", 2, 5, "SELECT 3"},
		{"nothing is new", 5, 5, "SELECT 0"},
		{"a COPY that was not committed", 0, postgres.CopyFrom, fmt.Sprint("COPY ", postgres.CopyFrom)},
		{"a COPY that was committed", 0, postgres.CopyFrom, "COMMIT"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dsn := pgtest.Schema(t)
			direct := open(t, dsn)
			p, through := pgtest.Through(t, dsn)
			s := open(t, through)
			before := pushTo(tt.known)
			before.Now = start.Add(-time.Second)
			if tt.known > 0 {
				pushOnce(t, direct, before, tt.known)
			}
			lost := 0
			p.Lose(tt.answer, func() { lost++ })
			message := pushTo(tt.all)
			result, err := s.Push(t.Context(), message)
			if err != nil || lost != 1 {
				t.Fatalf("push with %d lost answers: %v", lost, err)
			}
			wantCreated(t, result, message.Targets[tt.known:], tt.known)
			for _, c := range result.Created[:min(3, len(result.Created))] {
				if got := recordsOf(t, direct, c.Username); len(got) != 1 || got[0].ID != c.ID {
					t.Errorf("%s has %+v, want the record %s", c.Username, got, c.ID)
				}
			}
		})
	}
}

func TestLostMarkReadIsRepeated(t *testing.T) {
	dsn := pgtest.Schema(t)
	direct := open(t, dsn)
	p, through := pgtest.Through(t, dsn)
	s := open(t, through)
	for _, app := range []string{"erp", "crm", "hr"} {
		message := pushTo(1)
		message.ClientID = app
		pushOnce(t, direct, message, 1)
	}
	read := inbox.MarkReadParams{
		Stamp: inbox.Stamp{ClientID: "portal", Now: start}, SourceMessageID: pushTo(1).SourceMessageID, Username: pushTo(1).Targets[0],
	}
	lost := 0
	p.Lose("SELECT 1", func() { lost++ })
	if r, err := s.MarkRead(t.Context(), read); err != nil || r.Switched != 3 || lost != 1 || !r.Position.IsZero() {
		t.Errorf("mark read with %d lost answers: %+v, %v; want 3 switched, at an unknown position", lost, r, err)
	}
	read.Now = start.Add(time.Second)
	if r, err := s.MarkRead(t.Context(), read); err != nil || r != (inbox.MarkReadResult{}) {
		t.Errorf("the next mark read: %+v, %v; want none switched", r, err)
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
	if _, err := tx.Exec(t.Context(), `LOCK TABLE inbox`); err != nil {
		t.Fatal(err)
	}
	return s, beside, func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }
}

// waitForWaiters returns when n of the store's statements wait for the lock.
func waitForWaiters(t *testing.T, beside *pgx.Conn, n int) {
	t.Helper()
	for waiting := -1; waiting != n; {
		err := beside.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'inbox'::regclass`).Scan(&waiting)
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
	_, err := s.List(ctx, defaultList("", 20))
	wantUnavailable(t, err)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v does not name the deadline", err)
	}
	waitForWaiters(t, beside, 0)
}
