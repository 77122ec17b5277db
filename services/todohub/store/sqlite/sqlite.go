// Package sqlite keeps todos in one SQLite file, for the embedded shape of Hub.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"example.com/hub/pkg/migrate"
	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

//go:embed migrations
var migrations embed.FS

// Store is a todo.Store on a SQLite file.
type Store struct {
	file *sqlitefile.DB

	// Preparing costs more than most of these statements do. Closing the file closes them.
	upsert, clear, invalidate, get *sql.Stmt
	lists                          map[listKey]*sql.Stmt
	counts                         map[filter]*sql.Stmt
}

// listKey is what the text of a list depends on.
type listKey struct {
	filter filter
	sort   todo.Sort
}

var _ todo.Store = (*Store)(nil)

// Open opens the file at path, creates it where missing and brings it to the current schema. An error
// names the path in one line.
func Open(ctx context.Context, path string) (*Store, error) {
	file, err := sqlitefile.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Store{file: file}
	if err := s.prepare(ctx); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context) error {
	if err := migrate.Run(ctx, s.file.Write, migrate.SQLite, migrations); err != nil {
		return err
	}
	var err error
	statement := func(db *sql.DB, text string) *sql.Stmt {
		if err != nil {
			return nil
		}
		stmt, failure := db.PrepareContext(ctx, text)
		if failure != nil {
			err = fmt.Errorf("prepare %.30q: %w", text, failure)
		}
		return stmt
	}
	s.upsert = statement(s.file.Write, sqlUpsert)
	s.clear = statement(s.file.Write, sqlClear)
	s.invalidate = statement(s.file.Write, sqlInvalidate)
	s.get = statement(s.file.Read, sqlGet)
	s.lists, s.counts = map[listKey]*sql.Stmt{}, map[filter]*sql.Stmt{}
	for _, f := range []filter{filterAll, filterAssignee} {
		s.counts[f] = statement(s.file.Read, sqlCount(f))
		for _, field := range todo.SortFields() {
			for _, descending := range []bool{false, true} {
				sort := todo.Sort{Field: field, Descending: descending}
				s.lists[listKey{f, sort}] = statement(s.file.Read, sqlList(f, orderBy(sort)))
			}
		}
	}
	return err
}

// Close waits for running calls and closes the file.
func (s *Store) Close() error { return s.file.Close() }

// Ping implements todo.Store.
func (s *Store) Ping(ctx context.Context) error { return s.file.Ping(ctx, sqlPing) }
