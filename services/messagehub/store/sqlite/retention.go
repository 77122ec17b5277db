package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/sqlitefile"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for records that were read, with the bodies and the messages
// that have no record any more.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	return s.file.RemoveOld(ctx, sqlitefile.Removal{Entries: "records", Users: s.selectUsers, Remove: s.removeRead}, b)
}

// removeRead gives the user of each record that it removed.
func (s *Store) removeRead(ctx context.Context, tx *sql.Tx, users string, b retention.Batch) (owners []string, err error) {
	var messages, bodies []int64
	var message, body int64
	var owner string
	stmt, args := sqlitefile.In(ctx, tx, s.deleteRead), []any{users, micros(b.Before), b.Rows}
	err = sqlitefile.ForEachRow(ctx, stmt, args, []any{&message, &body, &owner}, func() error {
		messages, bodies, owners = append(messages, message), append(bodies, body), append(owners, owner)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := execWith(ctx, sqlitefile.In(ctx, tx, s.deleteBodies), bodies); err != nil {
		return nil, err
	}
	return owners, execWith(ctx, sqlitefile.In(ctx, tx, s.deleteMessages), messages)
}

// execWith runs a statement whose bind is a JSON array of ids.
func execWith(ctx context.Context, stmt sqlitefile.Statement, ids []int64) error {
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx, string(list))
	return err
}
