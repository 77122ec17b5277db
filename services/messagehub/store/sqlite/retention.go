package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/retention"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for records that were read, with the bodies and the messages
// that have no record any more.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	users, err := s.recipients(ctx, b.After, b.Users)
	if err != nil {
		return retention.Result{}, s.file.Failed(ctx, "list recipients", err)
	}
	var owners []string
	err = s.file.Change(ctx, "remove old records", func(ctx context.Context, tx *sql.Tx) (err error) {
		owners, err = removeRead(ctx, tx, users, b)
		return err
	})
	if err != nil {
		return retention.Result{}, err
	}
	return b.Progress(users, owners), nil
}

// recipients gives the next users behind one.
func (s *Store) recipients(ctx context.Context, after string, most int) ([]string, error) {
	rows, err := s.file.Read.QueryContext(ctx, selectRecipients, after, most)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var users []string
	for rows.Next() {
		var user string
		if err := rows.Scan(&user); err != nil {
			return nil, err
		}
		users = append(users, user)
	}
	return users, rows.Err()
}

// removeRead gives the user of each record that it removed.
func removeRead(ctx context.Context, tx *sql.Tx, users []string, b retention.Batch) (owners []string, err error) {
	list, err := json.Marshal(users)
	if err != nil {
		return nil, err
	}
	before := micros(b.Before)
	rows, err := tx.QueryContext(ctx, deleteRead, string(list), before, before, b.Rows)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var messages, bodies []int64
	for rows.Next() {
		var message, body int64
		var owner string
		if err := rows.Scan(&message, &body, &owner); err != nil {
			return nil, err
		}
		messages, bodies, owners = append(messages, message), append(bodies, body), append(owners, owner)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for _, left := range []struct {
		query string
		ids   []int64
	}{{deleteBodies, bodies}, {deleteMessages, messages}} {
		ids, err := json.Marshal(left.ids)
		if err != nil {
			return nil, err
		}
		if _, err := tx.ExecContext(ctx, left.query, string(ids)); err != nil {
			return nil, err
		}
	}
	return owners, nil
}
