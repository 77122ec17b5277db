package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/services/todohub/internal/todo"
)

// Get implements todo.Store.
func (s *Store) Get(ctx context.Context, p todo.GetParams) (todo.Item, error) {
	item, found, err := one(ctx, s.get, p.ID)
	if err == nil && !found {
		return todo.Item{}, todo.NotFound(p.ID)
	}
	return item, s.file.Failed(ctx, "get todo", err)
}

// List implements todo.Store.
func (s *Store) List(ctx context.Context, p todo.ListParams) ([]todo.Item, int64, error) {
	items, total, err := s.list(ctx, p)
	return items, total, s.file.Failed(ctx, "list todos", err)
}

func (s *Store) list(ctx context.Context, p todo.ListParams) ([]todo.Item, int64, error) {
	tx, err := s.file.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = tx.Rollback() }() // it only ends the snapshot

	f, args := filterAll, []any{p.Status, p.Type}
	if p.AssigneeUsername != nil {
		f, args = filterAssignee, append(args, *p.AssigneeUsername)
	}
	listed, counted := tx.StmtContext(ctx, s.lists[listKey{f, p.Sort}]), tx.StmtContext(ctx, s.counts[f])
	items, err := page(ctx, listed, append(args, p.Page.Size, p.Page.Offset())...)
	if err != nil {
		return nil, 0, err
	}
	if n := int64(len(items)); n > 0 && n < p.Page.Size {
		// The last page says how many there are.
		return items, p.Page.Offset() + n, nil
	}
	total, err := count(ctx, counted, args...)
	return items, total, err
}

func page(ctx context.Context, stmt *sql.Stmt, args ...any) ([]todo.Item, error) {
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var items []todo.Item
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}

func count(ctx context.Context, stmt *sql.Stmt, args ...any) (total int64, err error) {
	err = stmt.QueryRowContext(ctx, args...).Scan(&total)
	return total, err
}
