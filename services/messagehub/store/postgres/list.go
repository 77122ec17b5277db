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
	call := s.CallHeavy
	if keyOf(p).flat() {
		call = s.Call
	}
	var result inbox.ListResult
	err := call(ctx, func(conn pg.Session, _ bool) (err error) {
		k := pageKey(p)
		result, err = list(ctx, conn, k, p)
		if err == nil && k.shallow && len(result.Records) == 0 && p.Page.Number > 0 {
			// Past the end there is no row with the total.
			k.shallow = false
			result, err = list(ctx, conn, k, p)
		}
		return err
	})
	return result, pg.Failed("list inbox", err)
}

func list(ctx context.Context, conn pg.Session, k listKey, p inbox.ListParams) (inbox.ListResult, error) {
	query, args := listQuery(k, p)
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return inbox.ListResult{}, err
	}
	return page(rows, p.Page)
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
		record, err := r.record(rows.RawValues()[1:])
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
