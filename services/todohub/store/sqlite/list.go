package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

// List reads the page and the total in one snapshot.
func (s *Store) List(ctx context.Context, p todo.ListParams) (todo.ListResult, error) {
	stmt, err := s.pages.Of(ctx, keyOf(p))
	if err != nil {
		return todo.ListResult{}, s.file.Failed(ctx, "list todos", err)
	}
	tx, err := s.file.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return todo.ListResult{}, s.file.Failed(ctx, "list todos", err)
	}
	// It wrote nothing; a rollback releases the snapshot as well as a commit.
	defer func() { _ = tx.Rollback() }()

	result, err := s.list(ctx, tx, stmt, p)
	if err != nil {
		return todo.ListResult{}, s.file.Failed(ctx, "list todos", err)
	}
	return result, nil
}

func (s *Store) list(ctx context.Context, tx *sql.Tx, stmt *sql.Stmt, p todo.ListParams) (result todo.ListResult, err error) {
	k, filters := keyOf(p), filterArgs(p)
	if result.Items, err = page(ctx, sqlitefile.In(ctx, tx, stmt), k, append(filters, p.Page.Size, p.Page.Offset())); err != nil {
		return todo.ListResult{}, err
	}
	if n := int64(len(result.Items)); n > 0 && n < p.Page.Size {
		// The last page says how many there are.
		result.Total = p.Page.Offset() + n
		return result, nil
	}
	err = sqlitefile.In(ctx, tx, s.counts[k.assigned]).QueryRowContext(ctx, filters...).Scan(&result.Total)
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
