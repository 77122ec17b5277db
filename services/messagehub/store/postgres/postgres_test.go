package postgres_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/storetest"
	"example.com/hub/services/messagehub/store/postgres"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) inbox.Store { return open(t, schema(t)) })
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

// with adds a setting to a connection string of either form.
func with(dsn, name, value string) string {
	switch {
	case !strings.Contains(dsn, "://"):
		return fmt.Sprintf("%s %s=%s", dsn, name, value)
	case strings.Contains(dsn, "?"):
		return fmt.Sprintf("%s&%s=%s", dsn, name, value)
	default:
		return fmt.Sprintf("%s?%s=%s", dsn, name, value)
	}
}

// connect opens a connection beside the store's.
func connect(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// schema makes an empty schema for the test and gives the connection string that leads there.
func schema(t testing.TB) string {
	t.Helper()
	dsn := server(t)
	return with(dsn, "search_path", create(t, dsn, "SCHEMA", "CASCADE"))
}

// database makes an empty database for the test and gives the connection string that leads there.
// VACUUM waits for the transactions of its own database only, so other tests are not in its way.
func database(t testing.TB) string {
	t.Helper()
	dsn := server(t)
	return with(dsn, "dbname", create(t, dsn, "DATABASE", "WITH (FORCE)"))
}

// create makes a thing of the kind and gives its name; the end of the test drops it.
func create(t testing.TB, dsn, kind, drop string) (name string) {
	t.Helper()
	conn := connect(t, dsn)
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

// open opens a store with a current schema.
func open(t testing.TB, dsn string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgres.Config{URL: dsn, MaxConns: 20, AcquireTimeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}
