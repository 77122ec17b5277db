package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// Get implements todo.Store.
func (s *Store) Get(ctx context.Context, p todo.GetParams) (todo.Item, error) {
	item, found, err := s.one(ctx, func(ctx context.Context, conn pg.Session, _ bool) (pgx.Rows, error) {
		return conn.Query(ctx, sqlGet, p.ID)
	})
	if err == nil && !found {
		return todo.Item{}, todo.NotFound(p.ID)
	}
	return item, pg.Failed("get todo", err)
}

// List implements todo.Store. One statement is one snapshot, and one round trip. Its time is the
// context's: at the end of it, the driver cancels the statement at the server.
func (s *Store) List(ctx context.Context, p todo.ListParams) ([]todo.Item, int64, error) {
	query, args := listQuery(p)
	var items []todo.Item
	var total int64
	err := s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		items, total, err = page(rows, p.Page)
		return err
	})
	return items, total, pg.Failed("list todos", err)
}

func listQuery(p todo.ListParams) (query string, args []any) {
	f, args := filterAll, []any{p.Status, p.Type}
	if p.AssigneeUsername != nil {
		f, args = filterAssignee, append(args, *p.AssigneeUsername)
	}
	return sqlList(f, orderBy(p.Sort)), append(args, p.Page.Size, p.Page.Offset())
}

// page reads the rows of sqlList.
func page(rows pgx.Rows, p field.Page) (items []todo.Item, total int64, err error) {
	defer rows.Close()
	var r row
	columns := append([]any{&total}, r.fields()...)
	for rows.Next() {
		if rows.RawValues()[1] == nil {
			// No item has no id: this is the one row of a page without items.
			clear(columns[1:])
		}
		if err := rows.Scan(columns...); err != nil {
			return nil, 0, err
		}
		if r.ID == "" {
			continue
		}
		if items == nil {
			items = make([]todo.Item, 0, min(p.Size, total-p.Offset()))
		}
		items = append(items, r.item())
	}
	return items, total, rows.Err()
}
