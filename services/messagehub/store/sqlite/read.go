package sqlite

import (
	"context"
	"database/sql"
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

// NewestID reads the first row of each of the user's two ranges of inbox_list.
func (s *Store) NewestID(ctx context.Context, p inbox.NewestIDParams) (string, error) {
	var body, ordinal, occurred int64
	err := s.selectNewest.QueryRowContext(ctx, p.Username, p.Username).Scan(&body, &ordinal, &occurred)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err != nil:
		return "", s.file.Failed(ctx, "newest record", err)
	}
	return inbox.RecordID(body, ordinal), nil
}

// MarkRead decides in one statement.
func (s *Store) MarkRead(ctx context.Context, p inbox.MarkReadParams) (inbox.MarkReadResult, error) {
	now := micros(p.Now)
	var n int64
	err := s.file.Change(ctx, "mark read", func(ctx context.Context, tx *sql.Tx) error {
		result, err := within(ctx, tx, s.updateRead).ExecContext(ctx, now, now, p.ClientID, p.SourceMessageID, p.Username)
		if err != nil {
			return err
		}
		if n, err = result.RowsAffected(); err == nil && n == 0 {
			return sqlitefile.ErrUnchanged
		}
		return err
	})
	if err != nil {
		return inbox.MarkReadResult{}, err
	}
	return inbox.MarkReadResult{Switched: int(n)}, nil
}
