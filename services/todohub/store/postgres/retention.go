package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for items that are finished. Of several processes one is at it
// at a time; the lock is the transaction's, so that a pooler may stand in between.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (r retention.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		return pgx.BeginFunc(ctx, conn.Conn, func(tx pgx.Tx) (err error) {
			r, err = removeOld(ctx, tx, b)
			return err
		})
	})
	return r, pg.Failed("remove old todos", err)
}

func removeOld(ctx context.Context, tx pgx.Tx, b retention.Batch) (retention.Result, error) {
	var mine bool
	if err := tx.QueryRow(ctx, lockRetention).Scan(&mine); err != nil || !mine {
		return retention.Result{Busy: err == nil}, err
	}
	users, err := names(ctx, tx, selectAssignees, b.After, b.Users)
	if err != nil {
		return retention.Result{}, err
	}
	owners, err := names(ctx, tx, deleteOld,
		users, todo.Cleared, todo.Invalid, todo.Handle, todo.Review, b.Before, b.Rows)
	if err != nil {
		return retention.Result{}, err
	}
	return b.Progress(users, owners), nil
}

// names runs a statement that answers usernames.
func names(ctx context.Context, tx pgx.Tx, query string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
