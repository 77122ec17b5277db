package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for items that are finished.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	users, err := names(ctx, s.selectAssignees, b.After, b.Users)
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
		owners, err = names(ctx, sqlitefile.In(ctx, tx, s.deleteOld),
			string(list), todo.Cleared, todo.Invalid, todo.Handle, todo.Review, micros(b.Before), b.Rows)
		return err
	})
	if err != nil {
		return retention.Result{}, err
	}
	return b.Progress(users, owners), nil
}

// names runs a statement that answers usernames.
func names(ctx context.Context, stmt sqlitefile.Statement, args ...any) (all []string, err error) {
	var name string
	err = sqlitefile.ForEachRow(ctx, stmt, args, []any{&name}, func() error {
		all = append(all, name)
		return nil
	})
	return all, err
}
