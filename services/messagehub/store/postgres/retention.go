package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/store/pg"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for records that were read, with the bodies and the messages
// that have no record any more. Of several processes one is at it at a time; the locks are the
// transaction's, so that a pooler may stand in between.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (r retention.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		return pgx.BeginFunc(ctx, conn.Conn, func(tx pgx.Tx) (err error) {
			r, err = removeOld(ctx, tx, b)
			return err
		})
	})
	return r, pg.Failed("remove old records", err)
}

func removeOld(ctx context.Context, tx pgx.Tx, b retention.Batch) (retention.Result, error) {
	var mine bool
	if err := tx.QueryRow(ctx, lockRetention).Scan(&mine); err != nil || !mine {
		return retention.Result{Busy: err == nil}, err
	}
	rows, err := tx.Query(ctx, selectUsers, b.After, b.Users)
	if err != nil {
		return retention.Result{}, err
	}
	users, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return retention.Result{}, err
	}
	owners, err := removeRead(ctx, tx, users, b)
	if err != nil {
		return retention.Result{}, err
	}
	return b.Progress(users, owners), nil
}

// removeRead gives the user of each record that it removed.
func removeRead(ctx context.Context, tx pgx.Tx, users []string, b retention.Batch) (owners []string, err error) {
	rows, err := tx.Query(ctx, deleteRead, users, b.Before, b.Rows)
	if err != nil {
		return nil, err
	}
	var messages, bodies []int64
	var message, body int64
	var owner string
	_, err = pgx.ForEachRow(rows, []any{&message, &body, &owner}, func() error {
		messages, bodies, owners = append(messages, message), append(bodies, body), append(owners, owner)
		return nil
	})
	if err != nil || len(owners) == 0 {
		return nil, err
	}
	return owners, removeUnused(ctx, tx, messages, bodies)
}

// removeUnused removes what no record has any more. No push adds a record to a body that was there. To a
// message that it found, a push adds one under the lock of lockMessage, so that one is taken first, and
// another statement then sees what its last holder committed. A message whose lock is taken stays:
// somebody uses its key right now.
func removeUnused(ctx context.Context, tx pgx.Tx, messages, bodies []int64) error {
	if _, err := tx.Exec(ctx, deleteBodies, bodies); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, lockUnused, messages)
	if err != nil {
		return err
	}
	unused, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(unused) == 0 {
		return err
	}
	_, err = tx.Exec(ctx, deleteMessages, unused)
	return err
}
