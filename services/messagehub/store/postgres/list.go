package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

// List reads the total and the page in one statement. Its time is the context's: at the end of it, the
// driver cancels the statement at the server.
func (s *Store) List(ctx context.Context, p inbox.ListParams) (inbox.ListResult, error) {
	query, args := listQuery(p)
	call := s.CallHeavy
	if flat(p) {
		call = s.Call
	}
	var result inbox.ListResult
	err := call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		result, err = page(rows)
		return err
	})
	return result, pg.Failed("list", err)
}

// page reads the rows of selectRecords.
func page(rows pgx.Rows) (result inbox.ListResult, err error) {
	defer rows.Close()
	for rows.Next() {
		if rows.RawValues()[1] == nil {
			// The columns behind the total are null.
			columns := make([]any, len(rows.RawValues()))
			columns[0] = &result.Total
			if err := rows.Scan(columns...); err != nil {
				return inbox.ListResult{}, err
			}
			continue
		}
		r, err := scanRecord(rows, &result.Total)
		if err != nil {
			return inbox.ListResult{}, err
		}
		result.Records = append(result.Records, r)
	}
	return result, rows.Err()
}

func scanRecord(rows pgx.Rows, total *int64) (r inbox.Record, err error) {
	var body, ordinal int64
	var actions []byte
	if err := rows.Scan(total, &body, &ordinal, &r.Username, &r.SourceAppID, &r.SourceMessageID,
		&r.Title, &r.Content, &r.Category, &actions, &r.Status, &r.OccurredAt, &r.ReadAt,
		&r.CreateTime, &r.ModifyTime, &r.Creator, &r.Modifier); err != nil {
		return r, err
	}
	var list []action
	if err := json.Unmarshal(actions, &list); err != nil {
		return r, fmt.Errorf("decode actions: %w", err)
	}
	r.Actions = make([]inbox.Action, len(list))
	for i, a := range list {
		r.Actions[i] = inbox.Action(a)
	}
	r.ID = inbox.RecordID(body, ordinal)
	return r, nil
}
