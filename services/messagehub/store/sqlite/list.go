package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/messagehub/internal/inbox"
)

// List reads the total, the keys of the page and the records of the keys in one snapshot.
func (s *Store) List(ctx context.Context, p inbox.ListParams) (inbox.ListResult, error) {
	tx, err := s.file.Read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return inbox.ListResult{}, s.file.Failed(ctx, "list inbox", err)
	}
	// It wrote nothing; a rollback releases the snapshot as well as a commit.
	defer func() { _ = tx.Rollback() }()

	result, err := s.list(ctx, tx, p)
	if err != nil {
		return inbox.ListResult{}, s.file.Failed(ctx, "list inbox", err)
	}
	return result, nil
}

func (s *Store) list(ctx context.Context, tx *sql.Tx, p inbox.ListParams) (result inbox.ListResult, err error) {
	k, filters := keyOf(p), filterArgs(p)
	if err := tx.QueryRowContext(ctx, totals[k], filters...).Scan(&result.Total); err != nil {
		return inbox.ListResult{}, err
	}
	if p.Page.Offset() >= result.Total {
		return result, nil
	}
	keys, n, err := selectKeys(ctx, tx, pages[k], append(filters, p.Page.Size, p.Page.Offset()))
	if err != nil {
		return inbox.ListResult{}, err
	}
	result.Records, err = page(ctx, sqlitefile.In(ctx, tx, s.selectRecords), keys, n)
	return result, err
}

// selectKeys gives the keys of a page in order, as selectRecords takes them, and their number.
func selectKeys(ctx context.Context, tx *sql.Tx, query string, args []any) (keys string, n int, err error) {
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

// page reads the records of n keys in the order of the keys. Putting them in their places here spares
// SQLite a sort of rows that carry the contents.
func page(ctx context.Context, stmt sqlitefile.Statement, keys string, n int) ([]inbox.Record, error) {
	records := make([]inbox.Record, n)
	var place int
	var r row
	err := sqlitefile.ForEachRow(ctx, stmt, []any{keys}, append([]any{&place}, r.fields()...), func() (err error) {
		records[place], err = r.record()
		return err
	})
	return records, err
}
