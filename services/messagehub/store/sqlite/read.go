package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"example.com/hub/services/messagehub/internal/inbox"
)

// CountUnread reads one range of inbox_list.
func (s *Store) CountUnread(ctx context.Context, p inbox.CountUnreadParams) (int64, error) {
	var n int64
	if err := s.countUnread.QueryRowContext(ctx, p.Username).Scan(&n); err != nil {
		return 0, s.file.Failed(ctx, "count unread", err)
	}
	return n, nil
}

// NewestID reads the first row of each of the user's two ranges of inbox_list.
func (s *Store) NewestID(ctx context.Context, p inbox.NewestIDParams) (string, error) {
	var body, ordinal, occurred int64
	err := s.selectNewest.QueryRowContext(ctx, p.Username).Scan(&body, &ordinal, &occurred)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err != nil:
		return "", s.file.Failed(ctx, "newest record", err)
	}
	return inbox.RecordID(body, ordinal), nil
}
