package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/services/todohub/internal/todo"
)

// Upsert implements todo.Store.
func (s *Store) Upsert(ctx context.Context, p todo.UpsertParams) (todo.Item, error) {
	item, stored, err := one(ctx, s.upsert,
		p.ID, p.Type, todo.Open, optionalMicros(p.DueAt), p.Now.UnixMicro(),
		p.ClientID, p.SourceBizID, p.AssigneeUsername, p.InitiatorUsername,
		p.Title, p.Summary, p.Category, p.ActionURL,
		p.ClientID, p.Owner)
	if err == nil && !stored {
		return todo.Item{}, todo.ErrForeign
	}
	return item, wrap("upsert todo", err)
}

// Clear implements todo.Store.
func (s *Store) Clear(ctx context.Context, p todo.ClearParams) (todo.Item, bool, error) {
	item, switched, err := one(ctx, s.clear,
		p.ID, todo.Open, todo.Cleared, p.Result, p.ClearedAt.UnixMicro(), p.ClearedBy, p.Reason,
		p.Now.UnixMicro(), p.ClientID, p.Owner)
	return item, switched, wrap("clear todo", err)
}

// Invalidate implements todo.Store.
func (s *Store) Invalidate(ctx context.Context, p todo.InvalidateParams) (todo.Item, bool, error) {
	item, switched, err := one(ctx, s.invalidate,
		p.ID, todo.Open, todo.Invalid, p.Reason,
		p.Now.UnixMicro(), p.ClientID, p.Owner)
	return item, switched, wrap("invalidate todo", err)
}

// one runs a statement that answers at most one row. It reads past that row, because a statement with
// RETURNING commits only when it has no further row: before that, nothing is known to be stored.
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
