package pg_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
)

func TestMigrateFromManyAtOnce(t *testing.T) {
	dsn := pgtest.Schema(t)
	var group errgroup.Group
	for range 8 {
		db := openAt(t, dsn, 1)
		group.Go(func() error { return db.Migrate(t.Context()) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := visit(t.Context(), openAt(t, dsn, 1), "ann"); err != nil {
		t.Error(err)
	}
}

func TestDatabaseIsAway(t *testing.T) {
	t.Parallel()
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
			db := openAt(t, "postgres://hub:letmein@"+address+"/hub?sslmode=disable", 2)
			began := time.Now()
			wantUnavailable(t, db.Ping(t.Context()))
			err := visit(t.Context(), db, "ann")
			wantUnavailable(t, err)
			if strings.Contains(fmt.Sprint(err), "letmein") {
				t.Errorf("the error shows the password: %v", err)
			}
			if took := time.Since(began); took > 10*acquiring {
				t.Errorf("two calls took %v", took)
			}
		})
	}
}

// TestConnectionsEnd ends all connections at the server.
func TestConnectionsEnd(t *testing.T) {
	dsn := pgtest.Schema(t)
	app := "test-" + dsn[len(dsn)-8:]
	db := pgtest.Open(t, pg.Config{ // a busy machine is slow to open all connections again
		URL: pgtest.With(dsn, "application_name", app), MaxConns: 20, AcquireTimeout: 10 * time.Second,
	}, openVisits)
	conn := pgtest.Connect(t, dsn)
	for range 5 {
		var group errgroup.Group
		for range 20 {
			group.Go(func() error { return visit(t.Context(), db, "ann") })
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if err := db.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		var ended int
		err := conn.QueryRow(t.Context(),
			`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1`, app).Scan(&ended)
		if err != nil || ended < 2 {
			t.Fatalf("ended %d connections, %v", ended, err)
		}
		if err := visit(t.Context(), db, "bob"); err != nil {
			t.Errorf("the next call: %v", err)
		}
		if err := db.Ping(t.Context()); err != nil {
			t.Errorf("the next ping: %v", err)
		}
	}
}

func TestFullPoolDoesNotQueue(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Schema(t)
	db := open(t, dsn, 1)
	beside := pgtest.Connect(t, dsn)
	unlock := lock(t, dsn)
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	var group errgroup.Group
	group.Go(func() error { return visit(ctx, db, "ann") })
	waitForWaiters(t, beside, 1)
	began := time.Now()
	wantUnavailable(t, visit(t.Context(), db, "bob"))
	if took := time.Since(began); took > 5*acquiring {
		t.Errorf("it took %v to say so", took)
	}
	stats := db.Stats()
	want := pg.Stats{InUse: 1, Max: 1, HeavyMax: 1, Timeouts: 1, Waits: stats.Waits, WaitTime: stats.WaitTime}
	if stats != want {
		t.Errorf("stats are %+v, want %+v", stats, want)
	}
	cancel()
	if err := group.Wait(); !errors.Is(err, context.Canceled) || fault.KindOf(err) == fault.Unavailable {
		t.Errorf("the caller who left got %v", err)
	}
	if got := db.Stats().Timeouts; got != 1 {
		t.Errorf("%d timeouts after a call that was canceled, want 1", got)
	}
	unlock()
	if err := visit(t.Context(), db, "bob"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestReadOnlyServer stands for a primary that became a standby: its connections take no writes.
func TestReadOnlyServer(t *testing.T) {
	dsn := pgtest.Schema(t)
	open(t, dsn, 1)
	db := openAt(t, pgtest.With(dsn, "default_transaction_read_only", "on"), 2)
	wantUnavailable(t, visit(t.Context(), db, "ann"))
}

// TestFullPoolIsReady makes every connection of the calls wait, longer than a call would.
func TestFullPoolIsReady(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Schema(t)
	const connections = 3
	db := open(t, dsn, connections)
	beside := pgtest.Connect(t, dsn)
	unlock := lock(t, dsn)
	var group errgroup.Group
	for range connections {
		group.Go(func() error { return visit(t.Context(), db, "ann") })
	}
	waitForWaiters(t, beside, connections)
	wantUnavailable(t, visit(t.Context(), db, "bob"))
	fastest := time.Hour
	for range 3 {
		began := time.Now()
		if err := db.Ping(t.Context()); err != nil {
			t.Errorf("not ready: %v", err)
		}
		fastest = min(fastest, time.Since(began))
	}
	if fastest >= acquiring {
		t.Errorf("each ping took %v, as if it had waited for a connection", fastest)
	}
	unlock()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

func TestPingFailsBeforeMigrate(t *testing.T) {
	db := openAt(t, pgtest.Schema(t), 1)
	if db.Ping(t.Context()) == nil {
		t.Error("ready without a schema")
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("after Migrate: %v", err)
	}
}

// TestPingFailsWhenTheDatabaseGoesAway ends a connection that has been used and lets no other in.
func TestPingFailsWhenTheDatabaseGoesAway(t *testing.T) {
	dsn := pgtest.Database(t)
	db := open(t, dsn, 1)
	if err := db.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	outside := pgtest.Connect(t, pgtest.With(dsn, "dbname", "postgres"))
	name := dsn[strings.LastIndex(dsn, "=")+1:]
	if _, err := outside.Exec(t.Context(), `ALTER DATABASE `+name+` ALLOW_CONNECTIONS false`); err != nil {
		t.Fatal(err)
	}
	if _, err := outside.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, name); err != nil {
		t.Fatal(err)
	}
	wantUnavailable(t, db.Ping(t.Context()))
	if _, err := outside.Exec(t.Context(), `ALTER DATABASE `+name+` ALLOW_CONNECTIONS true`); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("it is back: %v", err)
	}
}

// TestPingFailsWhenTheServerIsDemoted lets a call find out, on a connection of before or on none; the
// connection of Ping must not go on with a server that takes no writes.
func TestPingFailsWhenTheServerIsDemoted(t *testing.T) {
	for name, connected := range map[string]bool{"connected": true, "not connected": false} {
		t.Run(name, func(t *testing.T) { demote(t, connected) })
	}
}

func demote(t *testing.T, connected bool) {
	dsn := pgtest.Database(t)
	open(t, dsn, 1)
	db := openAt(t, pgtest.With(dsn, "target_session_attrs", "read-write"), 1)
	if connected {
		if err := visit(t.Context(), db, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	name := dsn[strings.LastIndex(dsn, "=")+1:]
	_, err := pgtest.Connect(t, dsn).Exec(t.Context(), `ALTER DATABASE `+name+` SET default_transaction_read_only = on`)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Call(t.Context(), func(conn pg.Session, _ bool) error {
		if _, err := conn.Exec(t.Context(), "-- name: demote\nSET default_transaction_read_only = on"); err != nil {
			return err
		}
		_, err := conn.Exec(t.Context(), "-- name: insert_ann\nINSERT INTO visit (who) VALUES ('ann')")
		return err
	})
	wantUnavailable(t, pg.Failed("visit", err))
	wantUnavailable(t, db.Ping(t.Context()))
}
