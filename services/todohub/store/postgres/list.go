package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// List reads the total and the page in one statement. Its time is the context's: at the end of it, the
// driver cancels the statement at the server.
func (s *Store) List(ctx context.Context, p todo.ListParams) (todo.ListResult, error) {
	call := s.CallHeavy
	if flat(p) {
		call = s.Call
	}
	var result todo.ListResult
	err := call(ctx, func(conn pg.Session, _ bool) (err error) {
		k := keyOf(p)
		result, err = list(ctx, conn, k, p)
		if err == nil && k.shallow && len(result.Items) == 0 && p.Page.Number > 0 {
			// Past the end there is no row with the total.
			k.shallow = false
			result, err = list(ctx, conn, k, p)
		}
		return err
	})
	return result, pg.Failed("list todos", err)
}

func list(ctx context.Context, conn pg.Session, k listKey, p todo.ListParams) (todo.ListResult, error) {
	query, args := listQuery(k, p)
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return todo.ListResult{}, err
	}
	return page(rows, p)
}

// page reads the rows of a list.
func page(rows pgx.Rows, p todo.ListParams) (result todo.ListResult, err error) {
	defer rows.Close()
	var r row
	into := append([]any{&result.Total}, r.fields()[:len(listed(p.Full))]...)
	for rows.Next() {
		empty := rows.RawValues()[1] == nil
		if empty {
			clear(into[1:]) // the columns behind the total are null
		}
		if err := rows.Scan(into...); err != nil {
			return todo.ListResult{}, err
		}
		if empty {
			continue
		}
		if result.Items == nil {
			result.Items = make([]todo.Item, 0, min(p.Page.Size, result.Total-p.Page.Offset()))
		}
		result.Items = append(result.Items, r.item(rows.RawValues()[1:]))
	}
	return result, rows.Err()
}
