package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/retention"
	"example.com/hub/services/todohub/internal/todo"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for items that are finished.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	users, err := names(ctx, s.file.Read, sqlAssignees, b.After, b.Users)
	if err != nil {
		return retention.Result{}, s.file.Failed(ctx, "list assignees", err)
	}
	if len(users) == 0 {
		return retention.Result{Done: true}, nil
	}
	list, err := json.Marshal(users)
	if err != nil {
		return retention.Result{}, err
	}
	var owners []string
	err = s.file.Change(ctx, "remove old todos", func(ctx context.Context, tx *sql.Tx) (err error) {
		owners, err = names(ctx, tx, sqlRemoveOld,
			string(list), todo.Cleared, todo.Invalid, todo.Handle, todo.Review, b.Before.UnixMicro(), b.Rows)
		return err
	})
	if err != nil {
		return retention.Result{}, err
	}
	return b.Progress(users, owners), nil
}

// querier is a *sql.DB or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// names runs a statement that answers usernames.
func names(ctx context.Context, db querier, query string, args ...any) ([]string, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		all = append(all, name)
	}
	return all, rows.Err()
}
