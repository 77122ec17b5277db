package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"example.com/hub/services/messagehub/internal/inbox"
)

// List reads the total, the keys of the page and the records of the keys in one snapshot. The keys
// come from as narrow rows as the query allows, from the index alone for the default order of a
// user, so that the records before a deep page cost little.
func (s *Store) List(ctx context.Context, p inbox.ListParams) (inbox.ListResult, error) {
	tx, err := s.file.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return inbox.ListResult{}, s.file.Failed(ctx, "begin list", err)
	}
	// It wrote nothing; a rollback releases the snapshot as well as a commit.
	defer func() { _ = tx.Rollback() }()

	result, err := s.list(ctx, tx, p)
	if err != nil {
		return inbox.ListResult{}, s.file.Failed(ctx, "list", err)
	}
	return result, nil
}

func (s *Store) list(ctx context.Context, tx *sql.Tx, p inbox.ListParams) (inbox.ListResult, error) {
	var total int64
	query, args := countQuery(p)
	if err := tx.QueryRowContext(ctx, query, args...).Scan(&total); err != nil {
		return inbox.ListResult{}, err
	}
	if p.Page.Offset() >= total {
		return inbox.ListResult{Total: total}, nil
	}
	keys, n, err := selectKeys(ctx, tx, p)
	if err != nil {
		return inbox.ListResult{}, err
	}
	records, err := s.records(ctx, tx, keys, n)
	return inbox.ListResult{Records: records, Total: total}, err
}

// selectKeys gives the keys of the page in order, as selectRecords takes them, and their number.
func selectKeys(ctx context.Context, tx *sql.Tx, p inbox.ListParams) (keys string, n int, err error) {
	query, args := keysQuery(p)
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = rows.Close() }()

	var list [][2]any
	for rows.Next() {
		var message int64
		var username string
		var sortKey, body any
		if err := rows.Scan(&message, &username, &sortKey, &body); err != nil {
			return "", 0, err
		}
		list = append(list, [2]any{message, username})
	}
	if err := rows.Err(); err != nil {
		return "", 0, err
	}
	text, err := json.Marshal(list)
	return string(text), len(list), err
}

// records gives the records of n keys in the order of the keys. Putting them in their places here
// spares SQLite a sort of rows that carry the contents.
func (s *Store) records(ctx context.Context, tx *sql.Tx, keys string, n int) ([]inbox.Record, error) {
	rows, err := within(ctx, tx, s.selectRecords).QueryContext(ctx, keys)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()

	records := make([]inbox.Record, n)
	for rows.Next() {
		place, r, err := scanRecord(rows)
		if err != nil {
			return nil, err
		}
		records[place] = r
	}
	return records, rows.Err()
}

func scanRecord(rows *sql.Rows) (place int, r inbox.Record, err error) {
	var body, ordinal, occurred, created, modified int64
	var read sql.NullInt64
	var actions []byte
	if err := rows.Scan(&place, &body, &ordinal, &r.Username, &r.SourceAppID, &r.SourceMessageID,
		&r.Title, &r.Content, &r.Category, &actions, &r.Status, &occurred, &read,
		&created, &modified, &r.Creator, &r.Modifier); err != nil {
		return 0, r, err
	}
	var list []action
	if err := json.Unmarshal(actions, &list); err != nil {
		return 0, r, fmt.Errorf("decode actions: %w", err)
	}
	r.Actions = make([]inbox.Action, len(list))
	for i, a := range list {
		r.Actions[i] = inbox.Action(a)
	}
	r.ID = inbox.RecordID(body, ordinal)
	r.OccurredAt, r.CreateTime, r.ModifyTime = instant(occurred), instant(created), instant(modified)
	if read.Valid {
		t := instant(read.Int64)
		r.ReadAt = &t
	}
	return place, r, nil
}
