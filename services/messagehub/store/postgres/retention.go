package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/store/pg"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for records that were read, with the bodies and the messages
// that have no record any more.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	return s.DB.RemoveOld(ctx, &oldRecords, b)
}

var oldRecords = pg.Removal{Entries: "records", Lock: lockRetention, Users: selectUsers, Remove: removeRead}

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
