package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/services/messagehub/internal/inbox"
)

// CountUnread reads one range of inbox_list.
func (s *Store) CountUnread(ctx context.Context, p inbox.CountUnreadParams) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var n int64
	err := s.call(ctx, func(conn session, _ bool) error {
		rows, err := conn.Query(ctx, countUnread, p.Username)
		if err != nil {
			return err
		}
		n, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
		return err
	})
	return n, failed("count unread", err)
}

// MarkRead decides in one statement. After a lost connection it is like Push: a repeat switches what is
// left, and answers everything that was switched at the time of this call.
func (s *Store) MarkRead(ctx context.Context, p inbox.MarkReadParams) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var switched []int64
	err := s.call(ctx, func(conn session, unknown bool) error {
		var err error
		if switched, err = marked(ctx, conn, updateRead, p); err == nil && unknown {
			switched, err = marked(ctx, conn, selectRead, p)
		}
		return err
	})
	return len(switched), failed("mark read", err)
}

// marked gives the bodies of the records that the query answers.
func marked(ctx context.Context, conn session, query string, p inbox.MarkReadParams) ([]int64, error) {
	rows, err := conn.Query(ctx, query, p.SourceMessageID, p.Username, p.Now, p.ClientID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}
