package sqlite

import (
	"context"

	"example.com/hub/services/messagehub/internal/inbox"
)

// CountUnread reads one range of inbox_list.
func (s *Store) CountUnread(ctx context.Context, p inbox.CountUnreadParams) (int64, error) {
	var n int64
	if err := s.countUnread.QueryRowContext(ctx, p.Username).Scan(&n); err != nil {
		return 0, failed(ctx, "count unread", err)
	}
	return n, nil
}

// MarkRead decides in one statement.
func (s *Store) MarkRead(ctx context.Context, p inbox.MarkReadParams) (int, error) {
	now := micros(p.Now)
	result, err := s.updateRead.ExecContext(ctx, now, now, p.ClientID, p.SourceMessageID, p.Username)
	if err != nil {
		return 0, failed(ctx, "mark read", err)
	}
	n, err := result.RowsAffected()
	if err != nil {
		return 0, failed(ctx, "mark read", err)
	}
	return int(n), nil
}
