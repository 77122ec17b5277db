// Package pgtest is for tests of stores on PostgreSQL: a place of their own on the server that
// HUB_TEST_POSTGRES names, and a proxy that loses answers.
package pgtest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
)

// Schema makes an empty schema for the test and gives the connection string that leads there. The test
// is skipped where there is no server; with CI=true it fails.
func Schema(t testing.TB) string {
	t.Helper()
	dsn := server(t)
	return With(dsn, "search_path", create(t, dsn, "SCHEMA", "CASCADE"))
}

// Database is Schema with an empty database. VACUUM waits for the transactions of its own database
// only, so other tests are not in its way.
func Database(t testing.TB) string {
	t.Helper()
	dsn := server(t)
	return With(dsn, "dbname", create(t, dsn, "DATABASE", "WITH (FORCE)"))
}

// Store is what the stores on PostgreSQL have in common.
type Store interface {
	Migrate(ctx context.Context) error
	Close()
}

// Open opens a store with a current schema. The end of the test closes it, and fails the test when a
// statement had no name.
func Open[S Store](t testing.TB, c pg.Config, open func(context.Context, pg.Deps) (S, error)) S {
	t.Helper()
	metrics := telemetry.New()
	s, err := open(t.Context(), pg.Deps{Config: c, Metrics: metrics})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The statements of migrations have none.
	const unnamed = `hub_database_statement_duration_seconds_count{statement="` + telemetry.Other + `"} `
	before := telemetrytest.Scrape(metrics, unnamed)
	t.Cleanup(func() {
		if after := telemetrytest.Scrape(metrics, unnamed); len(after) != 1 || !slices.Equal(before, after) {
			t.Errorf("a statement has no name: %q after %q", after, before)
		}
	})
	return s
}

// Connect opens a connection beside those of the store.
func Connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// With adds a setting to a connection string of either form.
func With(dsn, name, value string) string {
	switch {
	case !strings.Contains(dsn, "://"):
		return fmt.Sprintf("%s %s=%s", dsn, name, value)
	case strings.Contains(dsn, "?"):
		return fmt.Sprintf("%s&%s=%s", dsn, name, value)
	default:
		return fmt.Sprintf("%s?%s=%s", dsn, name, value)
	}
}

// server gives the connection string of the server under test.
func server(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv("HUB_TEST_POSTGRES") //nolint:forbidigo // only the tests know the server
	switch {
	case dsn != "":
	case os.Getenv("CI") == "true": //nolint:forbidigo // see above
		t.Fatal("HUB_TEST_POSTGRES is not set")
	default:
		t.Skip("HUB_TEST_POSTGRES is not set")
	}
	return dsn
}

// create makes a thing of the kind and gives its name; the end of the test drops it.
func create(t testing.TB, dsn, kind, drop string) (name string) {
	t.Helper()
	conn := Connect(t, dsn)
	if err := conn.QueryRow(t.Context(), `SELECT 'test_' || replace(gen_random_uuid()::text, '-', '')`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `CREATE `+kind+` `+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := conn.Exec(context.WithoutCancel(t.Context()), `DROP `+kind+` `+name+` `+drop); err != nil {
			t.Error(err)
		}
	})
	return name
}
