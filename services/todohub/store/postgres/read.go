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
	call := s.CallHeavy
	if flat(p) {
		call = s.Call
	}
	var items []todo.Item
	var total int64
	err := call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		items, total, err = page(rows, p.Page)
		return err
	})
	return items, total, pg.Failed("list todos", err)
}

// flat tells whether todo_list has the items of a list in its order, so that a page takes about the same
// time however many there are.
func flat(p todo.ListParams) bool {
	return p.AssigneeUsername != nil && p.Sort.Field == todo.SortModifyTime
}

// shallowPages is the number of pages that read no more blocks with the rows in front of them than by
// their keys. In time the two are even later: measured with everything in memory, at the tenth page of 20.
const shallowPages = 4

func listQuery(p todo.ListParams) (query string, args []any) {
	order, args := orderBy(p.Sort), []any{p.Status, p.Type}
	switch {
	case flat(p) && p.Page.Number < shallowPages:
		query = sqlShallow(order)
	case p.AssigneeUsername != nil:
		query = sqlDeep(filterAssignee, order)
	default:
		query = sqlDeep(filterAll, order)
	}
	if p.AssigneeUsername != nil {
		args = append(args, *p.AssigneeUsername)
	}
	return query, append(args, p.Page.Size, p.Page.Offset())
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
