package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	_ "modernc.org/sqlite" // the driver under test

	"example.com/hub/pkg/migrate"
	"example.com/hub/pkg/sqlitefile"
)

// The tests of pkg/migrate and pkg/sqlitefile that need a driver stand here, since pkg has none.

func openFile(t *testing.T, path string) *sqlitefile.DB {
	t.Helper()
	db, err := sqlitefile.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func migrations(texts ...string) fstest.MapFS {
	names := []string{"0001_create_a.sql", "0002_create_b.sql", "0003_create_c.sql"}
	files := fstest.MapFS{}
	for i, text := range texts {
		files[names[i]] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func tables(t *testing.T, db *sql.DB) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

const (
	createA = `CREATE TABLE a (x INTEGER); CREATE INDEX a_x ON a (x);`
	createB = `CREATE TABLE b (x INTEGER); INSERT INTO b (x) VALUES (1);`
	createC = `CREATE TABLE c (x INTEGER);`
)

func TestMigrateAppliesWhatIsMissing(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "m.db")).Write
	for _, files := range []fstest.MapFS{migrations(createA), migrations(createA, createB), migrations(createA, createB)} {
		if err := migrate.Run(t.Context(), db, migrate.SQLite, files); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "schema_migrations"}, tables(t, db)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	var rows int
	var oldest, newest int64
	row := db.QueryRowContext(t.Context(), `SELECT count(*), min(applied_at), unixepoch() FROM schema_migrations`)
	if err := row.Scan(&rows, &oldest, &newest); err != nil {
		t.Fatal(err)
	}
	if rows != 2 {
		t.Errorf("schema_migrations has %d rows, want 2", rows)
	}
	if age := newest - oldest/1_000_000; age < 0 || age > 3600 {
		t.Errorf("applied_at is %d s old, want microseconds of now", age)
	}
}

func TestMigrateLeavesNewerDatabase(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "m.db")).Write
	if err := migrate.Run(t.Context(), db, migrate.SQLite, migrations(createA, createB)); err != nil {
		t.Fatal(err)
	}
	if err := migrate.Run(t.Context(), db, migrate.SQLite, migrations(createA)); err != nil {
		t.Errorf("the previous binary does not start on the new schema: %v", err)
	}
}

func TestMigrateRefusesGap(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "m.db")).Write
	files := migrations(createA, createB, createC)
	if err := migrate.Run(t.Context(), db, migrate.SQLite, files); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `DELETE FROM schema_migrations WHERE version = 2`); err != nil {
		t.Fatal(err)
	}
	err := migrate.Run(t.Context(), db, migrate.SQLite, files)
	if err == nil || !strings.Contains(err.Error(), "has migration 0003_create_c but lacks version 0002") {
		t.Errorf("Run = %v, want a refusal that names version 0002", err)
	}
}

func TestMigrateUndoesFailedMigration(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "m.db")).Write
	err := migrate.Run(t.Context(), db, migrate.SQLite, migrations(createA, `CREATE TABLE b (x INTEGER); INSERT INTO nowhere (x) VALUES (1);`))
	if err == nil || !strings.Contains(err.Error(), "apply migration 0002_create_b") {
		t.Fatalf("Run = %v, want an error that names 0002_create_b", err)
	}
	if diff := cmp.Diff([]string{"a", "schema_migrations"}, tables(t, db)); diff != "" {
		t.Errorf("tables after the failure (-want +got):\n%s", diff)
	}
	if err := migrate.Run(t.Context(), db, migrate.SQLite, migrations(createA, createB)); err != nil {
		t.Errorf("the corrected migration does not run: %v", err)
	}
}

func TestMigrateAfterCancelledContext(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "m.db")).Write
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := migrate.Run(ctx, db, migrate.SQLite, migrations(createA)); err == nil {
		t.Fatal("Run with a cancelled context succeeded")
	}
	if err := migrate.Run(t.Context(), db, migrate.SQLite, migrations(createA)); err != nil {
		t.Errorf("the handle does not recover: %v", err)
	}
}

// Each opener has connections of its own, as separate processes have. createB would fail or insert
// twice if it ran twice.
func TestMigrateFromManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			db, err := sqlitefile.Open(t.Context(), path)
			if err != nil {
				return err
			}
			defer func() { _ = db.Close() }()
			return migrate.Run(t.Context(), db.Write, migrate.SQLite, migrations(createA, createB, createC))
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := openFile(t, path).Read.QueryRowContext(t.Context(), `SELECT count(*) FROM b`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != 1 {
		t.Errorf("migration 2 ran %d times, want once", n)
	}
}
