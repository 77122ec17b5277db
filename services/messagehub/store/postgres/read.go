package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

// CountUnread reads one range of inbox_list.
func (s *Store) CountUnread(ctx context.Context, p inbox.CountUnreadParams) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var n int64
	err := s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, countUnread, p.Username)
		if err != nil {
			return err
		}
		n, err = pgx.CollectExactlyOneRow(rows, pgx.RowTo[int64])
		return err
	})
	return n, pg.Failed("count unread", err)
}

// NewestID reads the first row of each of the user's two ranges of inbox_list.
func (s *Store) NewestID(ctx context.Context, p inbox.NewestIDParams) (id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, selectNewest, p.Username)
		if err != nil {
			return err
		}
		var body, ordinal int64
		_, err = pgx.ForEachRow(rows, []any{&body, &ordinal}, func() error {
			id = inbox.RecordID(body, ordinal)
			return nil
		})
		return err
	})
	return id, pg.Failed("newest record", err)
}

// MarkRead decides in one statement. After a lost connection it is like Push: a repeat switches what is
// left, and answers everything that was switched at the time of this call.
func (s *Store) MarkRead(ctx context.Context, p inbox.MarkReadParams) (inbox.MarkReadResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var result inbox.MarkReadResult
	err := s.Call(ctx, func(conn pg.Session, unknown bool) error {
		var err error
		if result, err = markRead(ctx, conn, p); err == nil && unknown {
			result, err = marked(ctx, conn, p, result)
		}
		return err
	})
	return result, pg.Failed("mark read", err)
}

func markRead(ctx context.Context, conn pg.Session, p inbox.MarkReadParams) (result inbox.MarkReadResult, err error) {
	rows, err := conn.Query(ctx, updateRead, p.SourceMessageID, p.Username, p.Now, p.ClientID)
	if err != nil {
		return inbox.MarkReadResult{}, err
	}
	err = scanOne(rows, &result.Switched, &result.Position.Transaction, &result.Position.Sequence)
	if errors.Is(err, pgx.ErrNoRows) {
		return inbox.MarkReadResult{}, nil
	}
	return result, err
}

// marked gives what the runs of one mark read switched. When that is more than the last run did, nobody
// knows which rows of the log tell of it.
func marked(
	ctx context.Context, conn pg.Session, p inbox.MarkReadParams, last inbox.MarkReadResult,
) (all inbox.MarkReadResult, err error) {
	rows, err := conn.Query(ctx, countRead, p.SourceMessageID, p.Username, p.Now, p.ClientID)
	if err != nil {
		return inbox.MarkReadResult{}, err
	}
	err = scanOne(rows, &all.Switched)
	if all.Switched == last.Switched {
		all.Position = last.Position
	}
	return all, err
}
