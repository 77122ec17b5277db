package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

// Upsert implements todo.Store.
func (s *Store) Upsert(ctx context.Context, p todo.UpsertParams) (todo.Item, error) {
	item, stored, err := s.change(ctx, "upsert todo", s.upsert,
		p.ID, p.Type, todo.Open, optionalMicros(p.DueAt), p.Now.UnixMicro(),
		p.ClientID, p.SourceBizID, p.AssigneeUsername, p.InitiatorUsername,
		p.Title, p.Summary, p.Category, p.ActionURL,
		p.ClientID, p.Owner)
	if err == nil && !stored {
		return todo.Item{}, todo.ErrForeign
	}
	return item, err
}

// Clear implements todo.Store.
func (s *Store) Clear(ctx context.Context, p todo.ClearParams) (todo.Item, bool, error) {
	return s.change(ctx, "clear todo", s.clear,
		p.ID, todo.Open, todo.Cleared, p.Result, p.ClearedAt.UnixMicro(), p.ClearedBy, p.Reason,
		p.Now.UnixMicro(), p.ClientID, p.Owner)
}

// Invalidate implements todo.Store.
func (s *Store) Invalidate(ctx context.Context, p todo.InvalidateParams) (todo.Item, bool, error) {
	return s.change(ctx, "invalidate todo", s.invalidate,
		p.ID, todo.Open, todo.Invalid, p.Reason,
		p.Now.UnixMicro(), p.ClientID, p.Owner)
}

// change runs a statement that answers the item that it changed.
func (s *Store) change(ctx context.Context, doing string, stmt *sql.Stmt, args ...any) (item todo.Item, found bool, err error) {
	err = s.file.Change(ctx, doing, func(ctx context.Context, tx *sql.Tx) (err error) {
		if item, found, err = one(ctx, tx.StmtContext(ctx, stmt), args...); err == nil && !found {
			return sqlitefile.ErrUnchanged
		}
		return err
	})
	if err != nil {
		return todo.Item{}, false, err
	}
	return item, found, nil
}

// one runs a statement that answers at most one row. It reads past that row, so that the statement is
// known to have ended.
func one(ctx context.Context, stmt *sql.Stmt, args ...any) (item todo.Item, found bool, err error) {
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return todo.Item{}, false, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if item, err = scan(rows); err != nil {
			return todo.Item{}, false, err
		}
		found = true
	}
	if err := rows.Err(); err != nil {
		return todo.Item{}, false, err
	}
	return item, found, nil
}
