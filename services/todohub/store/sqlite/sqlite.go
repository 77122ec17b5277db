// Package sqlite keeps todos in one SQLite file, for the embedded shape of Hub.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	_ "modernc.org/sqlite" // the driver that pkg/sqlitefile opens

	"example.com/hub/pkg/migrate"
	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/todohub/internal/todo"
)

//go:embed migrations
var migrations embed.FS

// Store is a todo.Store on a SQLite file.
type Store struct {
	file    *sqlitefile.DB
	upserts *trip.Group[string, todo.UpsertParams, todo.ChangeResult]

	upsertTodo, selectUpserted, clearTodo, invalidateTodo, getTodo  *sql.Stmt
	selectAssignees, deleteOld, selectGone, countListed, countTodos *sql.Stmt

	// counts has the total with and without a user.
	counts map[bool]*sql.Stmt

	pages    *sqlitefile.Variants[listKey]
	walks    *sqlitefile.Variants[walkKey]
	searches *sqlitefile.Variants[searchKey]
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
	s.upserts = trip.New[string](trip.Config[todo.UpsertParams, todo.ChangeResult]{
		One: s.upsertAlone, Many: s.upsertShared, Trips: 1, Patience: sqlitefile.ChangeTimeout, SeeThrough: true,
	})
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
	var p sqlitefile.Preparer
	s.upsertTodo = p.Prepare(ctx, s.file.Write, upsertTodo)
	s.selectUpserted = p.Prepare(ctx, s.file.Write, selectUpserted)
	s.clearTodo = p.Prepare(ctx, s.file.Write, clearTodo)
	s.invalidateTodo = p.Prepare(ctx, s.file.Write, invalidateTodo)
	s.getTodo = p.Prepare(ctx, s.file.Read, getTodo)
	s.countTodos = p.Prepare(ctx, s.file.Read, countTodos)
	s.selectAssignees = p.Prepare(ctx, s.file.Read, selectAssignees)
	s.deleteOld = p.Prepare(ctx, s.file.Write, deleteOld)
	s.selectGone = p.Prepare(ctx, s.file.Write, selectGone)
	s.countListed = p.Prepare(ctx, s.file.Write, countListed)
	s.counts = map[bool]*sql.Stmt{}
	for _, assigned := range []bool{false, true} {
		s.counts[assigned] = p.Prepare(ctx, s.file.Read, listKey{assigned: assigned}.count())
	}
	s.pages = sqlitefile.NewVariants(s.file.Read, listKey.page)
	s.walks = sqlitefile.NewVariants(s.file.Read, walkKey.text)
	s.searches = sqlitefile.NewVariants(s.file.Read, searchKey.text)
	return p.Err()
}

// Close waits for running statements and closes the file.
func (s *Store) Close() error {
	s.upserts.Close()
	return s.file.Close()
}

// Ping fails while the file cannot be used.
func (s *Store) Ping(ctx context.Context) error { return s.file.Ping(ctx, ping) }
