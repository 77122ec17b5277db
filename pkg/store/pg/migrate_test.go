package pg_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
)

// said is a logger's handler that hands the messages on.
type said chan string

func (s said) Enabled(context.Context, slog.Level) bool { return true }
func (s said) Handle(_ context.Context, r slog.Record) error {
	select {
	case s <- r.Message:
	default:
	}
	return nil
}
func (s said) WithAttrs([]slog.Attr) slog.Handler { return s }
func (s said) WithGroup(string) slog.Handler      { return s }

// openSaying opens a DB and gives what it logs.
func openSaying(t *testing.T, dsn string, s pg.Schema) (*pg.DB, said) {
	t.Helper()
	log := make(said, 10)
	db, err := pg.Open(t.Context(), pg.Deps{
		Config: pg.Config{URL: dsn, MaxConns: 2, AcquireTimeout: time.Second}, Logger: slog.New(log),
	}, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db, log
}

func TestMigrateWaitsForADatabaseThatStartsLate(t *testing.T) {
	start, dsn := pgtest.Late(t, pgtest.Schema(t))
	db, log := openSaying(t, dsn, visits)
	done := make(chan error, 1)
	go func() { done <- db.MigrateWithin(t.Context(), time.Minute) }()
	select {
	case err := <-done:
		t.Fatalf("ended before the database was there: %v", err)
	case message := <-log:
		if message != "waiting for the database" {
			t.Errorf("logged %q", message)
		}
	}
	start()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMigrateStopsWaiting(t *testing.T) {
	_, dsn := pgtest.Late(t, pgtest.Schema(t))
	t.Run("when its time is over", func(t *testing.T) {
		db, _ := openSaying(t, dsn, visits)
		err := db.MigrateWithin(t.Context(), 10*time.Millisecond)
		if err == nil || !strings.HasPrefix(err.Error(), "the database was away for 10ms: connect for migrations: ") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("when it is told to", func(t *testing.T) {
		db, log := openSaying(t, dsn, visits)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- db.MigrateWithin(ctx, time.Hour) }()
		select {
		case err := <-done:
			t.Fatalf("ended before it was told to: %v", err)
		case <-log:
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// TestMigrateDoesNotWaitInVain has an hour for what no waiting mends.
func TestMigrateDoesNotWaitInVain(t *testing.T) {
	dsn := pgtest.Schema(t)
	broken := pg.Schema{Name: "broken", Migrations: fstest.MapFS{"0001_create_nothing.sql": {Data: []byte(`CREATE nothing`)}}}
	slow := pg.Schema{Name: "slow", Migrations: fstest.MapFS{"0001_take_long.sql": {Data: []byte(`SET LOCAL statement_timeout = 1; SELECT pg_sleep(60)`)}}}
	for _, tt := range []struct {
		name, dsn string
		schema    pg.Schema
		want      string
	}{
		{"a role that may not log in", pgtest.With(dsn, "user", "nobody_of_this_name"), visits, "28000"},
		{"a database that does not exist", pgtest.With(dsn, "dbname", "nothing_of_this_name"), visits, "3D000"},
		{"a migration that is wrong", dsn, broken, "42601"},
		{"a migration that takes too long", dsn, slow, "57014"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db, log := openSaying(t, tt.dsn, tt.schema)
			if err := db.MigrateWithin(t.Context(), time.Hour); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if len(log) > 0 {
				t.Errorf("logged %q", <-log)
			}
		})
	}
}
