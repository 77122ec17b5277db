// Package sqlite keeps the inbox in a SQLite file, for the embedded shape.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"time"

	_ "modernc.org/sqlite" // the driver that pkg/sqlitefile opens

	"example.com/hub/pkg/migrate"
	"example.com/hub/pkg/sqlitefile"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Store is an inbox.Store over one SQLite file. A push or a mark read is on disk when it is answered.
type Store struct {
	file *sqlitefile.DB
	// The statements of the writer.
	insertMessage, selectMessage, insertBody, insertInbox, insertMissing, updateRead *sql.Stmt
	// The statements of the readers.
	countUnread, selectNewest, selectRecords *sql.Stmt
}

// Open opens the file at path, creates it where it is missing, and brings its schema up to date.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := sqlitefile.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Store{file: file}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), file.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context) error {
	if err := migrate.Run(ctx, s.file.Write, migrate.SQLite, migrations); err != nil {
		return err
	}
	for _, p := range []struct {
		db   *sql.DB
		stmt **sql.Stmt
		text string
	}{
		{s.file.Write, &s.insertMessage, insertMessage},
		{s.file.Write, &s.selectMessage, selectMessage},
		{s.file.Write, &s.insertBody, insertBody},
		{s.file.Write, &s.insertInbox, insertInbox},
		{s.file.Write, &s.insertMissing, insertMissing},
		{s.file.Write, &s.updateRead, updateRead},
		{s.file.Read, &s.countUnread, countUnread},
		{s.file.Read, &s.selectNewest, selectNewest},
		{s.file.Read, &s.selectRecords, selectRecords},
	} {
		stmt, err := p.db.PrepareContext(ctx, p.text) //nolint:sqlclosecheck // closing the file closes it
		if err != nil {
			return fmt.Errorf("prepare statement: %w", err)
		}
		*p.stmt = stmt
	}
	return nil
}

// statement is what is used of a *sql.Stmt.
type statement interface {
	ExecContext(ctx context.Context, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, args ...any) *sql.Row
}

// within runs a prepared statement in a transaction, whose end closes what it answers. To prepare it
// for each call would add a tenth to a small push and a fifth to a list.
func within(ctx context.Context, tx *sql.Tx, stmt *sql.Stmt) statement {
	return tx.StmtContext(ctx, stmt)
}

// Close waits for running statements and closes the file.
func (s *Store) Close() error { return s.file.Close() }

// Ping fails while the file cannot be used.
func (s *Store) Ping(ctx context.Context) error { return s.file.Ping(ctx, ping) }

func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(us int64) time.Time { return time.UnixMicro(us).UTC() }
