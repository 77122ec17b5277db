package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

// CountUnread reads one range of inbox_list.
func (s *Store) CountUnread(ctx context.Context, p inbox.CountUnreadParams) (n int64, err error) {
	err = s.read(ctx, func(rows pgx.Rows) error {
		n, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
		return err
	}, countUnread, p.Username)
	return n, pg.Failed("count unread", err)
}

// CountUnreadBatch reads a range of inbox_list for each user.
func (s *Store) CountUnreadBatch(ctx context.Context, p inbox.CountUnreadBatchParams) (counts []int64, err error) {
	err = s.read(ctx, func(rows pgx.Rows) error {
		counts, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	}, countUnreadBatch, p.Usernames)
	return counts, pg.Failed("count unread", err)
}

// NewestID reads the first row of each of the user's two ranges of inbox_list.
func (s *Store) NewestID(ctx context.Context, p inbox.NewestIDParams) (id string, err error) {
	err = s.read(ctx, func(rows pgx.Rows) error {
		var body, ordinal int64
		_, err := pgx.ForEachRow(rows, []any{&body, &ordinal}, func() error {
			id = inbox.RecordID(body, ordinal)
			return nil
		})
		return err
	}, selectNewest, p.Username)
	return id, pg.Failed("newest record", err)
}
