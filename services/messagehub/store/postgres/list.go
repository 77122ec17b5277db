package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

// List reads the total and the page in one statement. Its time is the context's: at the end of it, the
// driver cancels the statement at the server.
func (s *Store) List(ctx context.Context, p inbox.ListParams) (inbox.ListResult, error) {
	query, args := listQuery(p)
	call := s.CallHeavy
	if keyOf(p).flat() {
		call = s.Call
	}
	var result inbox.ListResult
	err := call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		result, err = page(rows, p.Page)
		return err
	})
	return result, pg.Failed("list inbox", err)
}

// page reads the rows of a list.
func page(rows pgx.Rows, p field.Page) (result inbox.ListResult, err error) {
	defer rows.Close()
	var r row
	into := append([]any{&result.Total}, r.fields()...)
	for rows.Next() {
		empty := rows.RawValues()[1] == nil
		if empty {
			clear(into[1:]) // the columns behind the total are null
		}
		if err := rows.Scan(into...); err != nil {
			return inbox.ListResult{}, err
		}
		if empty {
			continue
		}
		record, err := r.record()
		if err != nil {
			return inbox.ListResult{}, err
		}
		if result.Records == nil {
			result.Records = make([]inbox.Record, 0, min(p.Size, result.Total-p.Offset()))
		}
		result.Records = append(result.Records, record)
	}
	return result, rows.Err()
}
