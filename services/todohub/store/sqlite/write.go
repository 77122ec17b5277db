package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

// Upsert decides in one transaction, which upserts that come meanwhile share.
func (s *Store) Upsert(ctx context.Context, p todo.UpsertParams) (todo.ChangeResult, error) {
	return s.upserts.Do(ctx, p, p.ID)
}

// upsertAlone has a transaction of its own.
func (s *Store) upsertAlone(ctx context.Context, p todo.UpsertParams, _ bool) (todo.ChangeResult, error) {
	results, err := s.UpsertMany(ctx, []todo.UpsertParams{p})
	if err != nil {
		return todo.ChangeResult{}, err
	}
	return results[0], nil
}

// Clear decides in one statement.
func (s *Store) Clear(ctx context.Context, p todo.ClearParams) (todo.ChangeResult, error) {
	return s.change(ctx, "clear todo", s.clearTodo,
		p.ID, todo.Open, todo.Cleared, p.Result, micros(p.ClearedAt), p.ClearedBy, p.Reason,
		micros(p.Now), p.ClientID, p.Owner, p.SourceVersion)
}

// Invalidate decides in one statement.
func (s *Store) Invalidate(ctx context.Context, p todo.InvalidateParams) (todo.ChangeResult, error) {
	return s.change(ctx, "invalidate todo", s.invalidateTodo,
		p.ID, todo.Open, todo.Invalid, p.Reason,
		micros(p.Now), p.ClientID, p.Owner, p.SourceVersion)
}

// change runs a statement that answers the item that it changed.
func (s *Store) change(ctx context.Context, doing string, stmt *sql.Stmt, args ...any) (result todo.ChangeResult, err error) {
	err = s.file.Change(ctx, doing, func(ctx context.Context, tx *sql.Tx) (err error) {
		if result.Item, result.Changed, err = one(ctx, sqlitefile.In(ctx, tx, stmt), args...); err == nil && !result.Changed {
			return sqlitefile.ErrUnchanged
		}
		return err
	})
	if err != nil {
		return todo.ChangeResult{}, err
	}
	return result, nil
}

// one runs a statement that answers at most one row. It reads past that row, so that the statement is
// known to have ended.
func one(ctx context.Context, stmt sqlitefile.Statement, args ...any) (item todo.Item, found bool, err error) {
	var r row
	err = sqlitefile.ForEachRow(ctx, stmt, args, r.fields(), func() error {
		item, found = r.item(), true
		return nil
	})
	if err != nil {
		return todo.Item{}, false, err
	}
	return item, found, nil
}
