// Package migrate brings a database to the schema that a binary was built for.
//
// Migrations are embedded SQL files that only go forward. The package holds no SQL driver: the
// stores, which do, pass their handle.
package migrate

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io/fs"
)

// Run applies the migrations of files that db does not have yet, in order, each in a transaction of
// its own together with its row in schema_migrations. Several processes may call it at once; each
// migration runs once.
//
// A database that is ahead of files is left as it is, so that the previous binary starts on the new
// schema. Run refuses a database whose versions have a gap, or that was made from other texts than
// those of files.
func Run(ctx context.Context, db *sql.DB, d Dialect, files fs.FS) error {
	known, err := load(files)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect for migrations: %w", err)
	}
	defer func() { _ = conn.Close() }()

	r := runner{conn: conn, sql: d.statements(), known: known}
	for {
		more, err := r.step(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// runner works on one connection, since the lock belongs to a transaction.
type runner struct {
	conn  *sql.Conn
	sql   statements
	known []migration
}

// step applies the first migration that the database lacks. It reads the state again each time,
// under the lock, because another process may have been faster.
func (r runner) step(ctx context.Context) (more bool, err error) {
	if _, err := r.conn.ExecContext(ctx, r.sql.begin); err != nil {
		return false, fmt.Errorf("lock migrations: %w", err)
	}
	defer func() {
		if err != nil {
			r.rollback(ctx)
		}
	}()
	if _, err := r.conn.ExecContext(ctx, r.sql.create); err != nil {
		return false, fmt.Errorf("create schema_migrations: %w", err)
	}
	applied, err := r.applied(ctx)
	if err != nil {
		return false, err
	}
	next, err := pending(r.known, applied)
	if err != nil {
		return false, err
	}
	if next != nil {
		if err := r.apply(ctx, *next); err != nil {
			return false, err
		}
	}
	if _, err := r.conn.ExecContext(ctx, "COMMIT"); err != nil {
		return false, fmt.Errorf("commit migration: %w", err)
	}
	return next != nil, nil
}

func (r runner) apply(ctx context.Context, m migration) error {
	if _, err := r.conn.ExecContext(ctx, m.text); err != nil {
		return fmt.Errorf("apply migration %s: %w", m, err)
	}
	if _, err := r.conn.ExecContext(ctx, r.sql.record, m.version, m.name, m.checksum); err != nil {
		return fmt.Errorf("record migration %s: %w", m, err)
	}
	return nil
}

func (r runner) applied(ctx context.Context) ([]migration, error) {
	rows, err := r.conn.QueryContext(ctx, r.sql.list)
	if err != nil {
		return nil, fmt.Errorf("read schema_migrations: %w", err)
	}
	defer func() { _ = rows.Close() }()

	var list []migration
	for rows.Next() {
		var m migration
		if err := rows.Scan(&m.version, &m.name, &m.checksum); err != nil {
			return nil, fmt.Errorf("read schema_migrations: %w", err)
		}
		list = append(list, m)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read schema_migrations: %w", err)
	}
	return list, nil
}

// rollback ends the transaction even when ctx has ended. A connection on which that does not work is
// thrown away, so that the pool never hands out an open transaction.
func (r runner) rollback(ctx context.Context) {
	if _, err := r.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK"); err != nil {
		_ = r.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// pending gives the first known migration that is not applied, or nil.
func pending(known, applied []migration) (*migration, error) {
	for i, a := range applied {
		if a.version != i+1 {
			return nil, fmt.Errorf("the database has migration %s but lacks version %04d", a, i+1)
		}
		if i < len(known) && a.checksum != known[i].checksum {
			return nil, fmt.Errorf("the database has another migration %s than this binary, which has %s", a, known[i])
		}
	}
	if len(applied) >= len(known) {
		return nil, nil
	}
	return &known[len(applied)], nil
}
