package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub/internal/inbox"
)

const (
	// copyFrom is the number of targets from which a COPY beats one statement. Measured, the statement
	// takes half the time for 1 target, three quarters for 1,000, and a tenth more from 10,000 on.
	copyFrom = 3000
	// targetTimeout is what each target adds to the time of a push, which needs about a hundredth.
	targetTimeout = 500 * time.Microsecond
)

// Push decides in one transaction, which pushes to few users that come meanwhile share.
func (s *Store) Push(ctx context.Context, p inbox.PushParams) (inbox.PushResult, error) {
	if len(p.Targets) > inbox.FewTargets {
		return s.pushAlone(ctx, p, false)
	}
	return s.pushes.Do(ctx, p, p.Key())
}

// pushAlone has a transaction of its own. Most keys are new, so it tries that first: the key's row decides,
// and no record of a new key can exist.
//
// When the connection is lost, nobody knows whether the records were stored. A repeat stores what is
// missing, and then answers everything that was created at the time of this push, by the lost run or by
// the repeat, so that its caller counts and announces both. Another push of the same key in the same
// microsecond would be counted, too: events may repeat. When the repeat fails as well, the records may
// be stored; their events are in the log, and the caller's own repeat finds duplicates.
func (s *Store) pushAlone(ctx context.Context, p inbox.PushParams, unknown bool) (inbox.PushResult, error) {
	args, err := pushArgs(p)
	if err != nil {
		return inbox.PushResult{}, pg.Failed("push message", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout+time.Duration(len(p.Targets))*targetTimeout)
	defer cancel()

	var result stored
	err = s.Call(ctx, func(conn pg.Session, repeated bool) error {
		var err error
		if result, err = push(ctx, conn, p, args); err == nil && (repeated || unknown) {
			result, err = pushed(ctx, conn, p, result)
		}
		return err
	})
	if err != nil {
		return inbox.PushResult{}, pg.Failed("push message", err)
	}
	return inbox.PushResult{
		Created:    result.created,
		Duplicates: len(p.Targets) - len(result.created),
		Position:   result.row,
	}, nil
}

// stored is what one run of a push did.
type stored struct {
	created []inbox.Created
	// row is the one in the event log; zero when nothing was created.
	row bus.Position
}

func push(ctx context.Context, conn pg.Session, p inbox.PushParams, args []any) (stored, error) {
	insert := pushStatement
	if len(p.Targets) >= copyFrom {
		insert = pushCopy
	}
	for {
		body, row, err := insert(ctx, conn, p, args)
		if err == nil {
			return stored{created: inbox.CreatedFor(p.Targets, body), row: row}, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return stored{}, err
		}
		result, gone, err := pushMissing(ctx, conn, p, args)
		if err != nil || !gone {
			return result, err
		}
	}
}

// pushStatement stores a push whose key is new in one statement; pgx.ErrNoRows says that it was there.
func pushStatement(
	ctx context.Context, conn pg.Session, p inbox.PushParams, args []any,
) (body int64, row bus.Position, err error) {
	rows, err := conn.Query(ctx, insertPush, append(args[:len(args):len(args)], p.Targets)...)
	if err != nil {
		return 0, bus.Position{}, err
	}
	err = scanOne(rows, &body, &row.Transaction, &row.Sequence)
	return body, row, err
}

// scanOne reads the only row, or gives pgx.ErrNoRows.
func scanOne(rows pgx.Rows, into ...any) error {
	tag, err := pgx.ForEachRow(rows, into, func() error { return nil })
	if err == nil && tag.RowsAffected() == 0 {
		return pgx.ErrNoRows
	}
	return err
}

// pushCopy is pushStatement for many targets: they go into the table as a COPY, in their order.
func pushCopy(
	ctx context.Context, conn pg.Session, p inbox.PushParams, args []any,
) (body int64, row bus.Position, err error) {
	err = pgx.BeginFunc(ctx, conn.Conn, func(pgx.Tx) error {
		var message int64
		rows, err := conn.Query(ctx, insertMessage, append(args[:len(args):len(args)], len(p.Targets))...)
		if err != nil {
			return err
		}
		if err := scanOne(rows, &message, &body, &row.Transaction, &row.Sequence); err != nil {
			return err
		}
		_, err = conn.Copy(ctx, newRecords(message, body, p.OccurredAt, p.Targets), copyInbox)
		return err
	})
	return body, row, err
}

// pushMissing stores the targets that have no record of a key that was there. Both statements go out
// together and are one transaction; the second one sees what the last holder of the lock committed. The
// key is gone when its last record was too old to be kept, and was removed just now.
func pushMissing(
	ctx context.Context, conn pg.Session, p inbox.PushParams, args []any,
) (result stored, gone bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(lockMessage, p.SourceMessageID, p.ClientID)
	batch.Queue(insertMissing, append(args[:len(args):len(args)], p.Targets)...).Query(func(rows pgx.Rows) error {
		var body, ordinal int64
		columns := []any{&body, &ordinal, &result.row.Transaction, &result.row.Sequence}
		_, err := pgx.ForEachRow(rows, columns, func() error {
			if gone = ordinal < 0; gone {
				return nil
			}
			result.created = append(result.created, inbox.Created{
				Username: p.Targets[ordinal], ID: inbox.RecordID(body, ordinal),
			})
			return nil
		})
		return err
	})
	err = conn.SendBatch(ctx, batch).Close()
	return result, gone, err
}

// pushed gives what the runs of one push created. When that is more than the last run did, nobody
// knows which rows of the log tell of it.
func pushed(ctx context.Context, conn pg.Session, p inbox.PushParams, last stored) (stored, error) {
	rows, err := conn.Query(ctx, selectPushed, p.SourceMessageID, p.ClientID, p.Now)
	if err != nil {
		return stored{}, err
	}
	var all stored
	var body, ordinal int64
	var username string
	_, err = pgx.ForEachRow(rows, []any{&body, &ordinal, &username}, func() error {
		if ordinal < int64(len(p.Targets)) && p.Targets[ordinal] == username {
			all.created = append(all.created, inbox.Created{Username: username, ID: inbox.RecordID(body, ordinal)})
		}
		return nil
	})
	if len(all.created) == len(last.created) {
		all.row = last.row
	}
	return all, err
}

// MarkRead decides in one statement, which those that come meanwhile share.
func (s *Store) MarkRead(ctx context.Context, p inbox.MarkReadParams) (inbox.MarkReadResult, error) {
	return s.reads.Do(ctx, p, p.Key())
}

// markReadAlone has a statement of its own. After a lost connection it is like Push: a repeat switches what is
// left, and answers everything that was switched at the time of this call.
func (s *Store) markReadAlone(ctx context.Context, p inbox.MarkReadParams, unknown bool) (inbox.MarkReadResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var result inbox.MarkReadResult
	err := s.Call(ctx, func(conn pg.Session, repeated bool) error {
		var err error
		if result, err = markRead(ctx, conn, p); err == nil && (repeated || unknown) {
			result, err = marked(ctx, conn, p, result)
		}
		return err
	})
	return result, pg.Failed("mark read", err)
}

func markRead(ctx context.Context, conn pg.Session, p inbox.MarkReadParams) (result inbox.MarkReadResult, err error) {
	rows, err := conn.Query(ctx, updateRead, p.Now, p.ClientID, p.SourceMessageID, p.Username)
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
	rows, err := conn.Query(ctx, countRead, p.Now, p.ClientID, p.SourceMessageID, p.Username)
	if err != nil {
		return inbox.MarkReadResult{}, err
	}
	err = scanOne(rows, &all.Switched)
	if all.Switched == last.Switched {
		all.Position = last.Position
	}
	return all, err
}
