package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"example.com/hub/pkg/sqlitefile"
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

// CountUnreadBatch reads a range of inbox_list for each user.
func (s *Store) CountUnreadBatch(ctx context.Context, p inbox.CountUnreadBatchParams) ([]int64, error) {
	usernames, err := json.Marshal(p.Usernames)
	if err != nil {
		return nil, s.file.Failed(ctx, "count unread", err)
	}
	var n int64
	counts := make([]int64, 0, len(p.Usernames))
	err = sqlitefile.ForEachRow(ctx, s.countUnreadBatch, []any{string(usernames)}, []any{&n}, func() error {
		counts = append(counts, n)
		return nil
	})
	if err != nil {
		return nil, s.file.Failed(ctx, "count unread", err)
	}
	return counts, nil
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
