package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

// List reads the page and the total in one statement. Behind the end there is no row to have the total, which is
// then counted alone, until both agree.
func (s *Store) List(ctx context.Context, p todo.ListParams) (todo.ListResult, error) {
	k, filters := listOf(p), filterArgs(p)
	stmt, err := s.pages.Of(ctx, k)
	for err == nil {
		var result todo.ListResult
		result, err = totalAndPage(ctx, stmt, k, append(filters, p.Page.Size, p.Page.Offset()))
		if err == nil && len(result.Items) == 0 {
			err = s.counts[k.assigned].QueryRowContext(ctx, filters...).Scan(&result.Total)
		}
		if err == nil && (len(result.Items) > 0 || result.Total <= p.Page.Offset()) {
			return result, nil
		}
	}
	return todo.ListResult{}, s.file.Failed(ctx, "list todos", err)
}

func totalAndPage(ctx context.Context, stmt *sql.Stmt, k listKey, args []any) (result todo.ListResult, err error) {
	var r row
	into := append([]any{&result.Total}, r.fields()[:len(k.columns())]...)
	err = sqlitefile.ForEachRow(ctx, stmt, args, into, func() error {
		result.Items = append(result.Items, r.item())
		return nil
	})
	return result, err
}

// page reads the rows of a page.
func page(ctx context.Context, stmt sqlitefile.Statement, k listKey, args []any) (items []todo.Item, err error) {
	var r row
	err = sqlitefile.ForEachRow(ctx, stmt, args, r.fields()[:len(k.columns())], func() error {
		items = append(items, r.item())
		return nil
	})
	return items, err
}
