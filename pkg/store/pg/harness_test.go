package pg_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
)

// visits is a store of one table.
var visits = pg.Schema{
	Name: "visits",
	Migrations: fstest.MapFS{
		"0001_create_visit.sql": {Data: []byte(`CREATE TABLE visit (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, who text NOT NULL)`)},
	},
	Ready: "-- name: ping\nSELECT 1 FROM visit LIMIT 1",
}

// acquiring is how long calls wait for a connection: longer than a busy machine takes to make one. Tests that use
// it up run beside each other.
const acquiring = 2 * time.Second

// openAt opens a DB without a look at its schema.
func openAt(t *testing.T, dsn string, connections int32) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), pg.Deps{
		Config: pg.Config{URL: dsn, MaxConns: connections, AcquireTimeout: acquiring},
	}, visits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// open opens a DB with a current schema.
func open(t testing.TB, dsn string, connections int32) *pg.DB {
	t.Helper()
	return pgtest.Open(t, pg.Config{URL: dsn, MaxConns: connections, AcquireTimeout: acquiring}, openVisits)
}

func openVisits(ctx context.Context, d pg.Deps) (*pg.DB, error) { return pg.Open(ctx, d, visits) }

// visit stores a row.
func visit(ctx context.Context, db *pg.DB, who string) error {
	return pg.Failed("visit", db.Call(ctx, func(conn pg.Session, _ bool) error {
		_, err := conn.Exec(ctx, "-- name: insert_visit\nINSERT INTO visit (who) VALUES ($1)", who)
		return err
	}))
}

// wantUnavailable checks the kind, and that the caller is told nothing else.
func wantUnavailable(t *testing.T, err error) {
	t.Helper()
	f := fault.As(err)
	if err == nil || f.Kind != fault.Unavailable || !strings.HasPrefix(f.Public, "the database is ") {
		t.Errorf("got %v, want a fault of kind Unavailable", err)
	}
}

// lock makes the calls of the DB wait until unlock.
func lock(t *testing.T, dsn string) (unlock func()) {
	t.Helper()
	tx, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `LOCK TABLE visit IN SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	return func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }
}

// waitForWaiters returns when n statements wait for the lock.
func waitForWaiters(t *testing.T, beside *pgx.Conn, n int) {
	t.Helper()
	for waiting := -1; waiting != n; {
		err := beside.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'visit'::regclass`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
}
