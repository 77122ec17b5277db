package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Push decides in one transaction, which pushes to few users that come meanwhile share.
func (s *Store) Push(ctx context.Context, p inbox.PushParams) (inbox.PushResult, error) {
	if len(p.Targets) > inbox.FewTargets {
		return s.pushAlone(ctx, p, false)
	}
	return s.pushes.Do(ctx, p, p.Key())
}

// pushAlone has a transaction of its own, which holds the write lock from its start. When nothing was new
// it is rolled back, so that no body without records stays behind.
func (s *Store) pushAlone(ctx context.Context, p inbox.PushParams, _ bool) (inbox.PushResult, error) {
	var created []inbox.Created
	err := s.file.Change(ctx, "push message", func(ctx context.Context, tx *sql.Tx) (err error) {
		if created, err = s.push(ctx, tx, p); err == nil && len(created) == 0 {
			return sqlitefile.ErrUnchanged
		}
		return err
	})
	if err != nil {
		return inbox.PushResult{}, err
	}
	return inbox.PushResult{Created: created, Duplicates: len(p.Targets) - len(created)}, nil
}

func (s *Store) push(ctx context.Context, tx *sql.Tx, p inbox.PushParams) ([]inbox.Created, error) {
	message, isNew, err := s.message(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	return s.records(ctx, tx, message, isNew, p)
}

// records stores those that a push of the message creates, and their body.
func (s *Store) records(ctx context.Context, tx *sql.Tx, message int64, isNew bool, p inbox.PushParams) ([]inbox.Created, error) {
	targets, err := json.Marshal(p.Targets)
	if err != nil {
		return nil, err
	}
	body, err := s.body(ctx, tx, message, p)
	if err != nil {
		return nil, err
	}
	args := []any{message, body, micros(p.OccurredAt), micros(p.Now), p.ClientID, string(targets)}
	if !isNew {
		return missing(ctx, sqlitefile.In(ctx, tx, s.insertMissing), body, p.Targets, args)
	}
	// No row of a new key can exist.
	if _, err := sqlitefile.In(ctx, tx, s.insertInbox).ExecContext(ctx, args...); err != nil {
		return nil, err
	}
	return inbox.CreatedFor(p.Targets, body), nil
}

// message gives the id of the key's row, and whether this call inserted it.
func (s *Store) message(ctx context.Context, tx *sql.Tx, p inbox.PushParams) (id int64, isNew bool, err error) {
	id, isNew, err = inserted(sqlitefile.In(ctx, tx, s.insertMessage).ExecContext(ctx, p.SourceMessageID, p.ClientID))
	if err == nil && !isNew {
		err = sqlitefile.In(ctx, tx, s.selectMessage).QueryRowContext(ctx, p.SourceMessageID, p.ClientID).Scan(&id)
	}
	return id, isNew, err
}

func (s *Store) body(ctx context.Context, tx *sql.Tx, message int64, p inbox.PushParams) (id int64, err error) {
	args, err := bodyArgs(message, p)
	if err != nil {
		return 0, err
	}
	id, _, err = inserted(sqlitefile.In(ctx, tx, s.insertBody).ExecContext(ctx, args...))
	return id, err
}

// inserted gives the id of the row that a statement inserted, if it did.
func inserted(done sql.Result, err error) (id int64, ok bool, _ error) {
	if err != nil {
		return 0, false, err
	}
	if n, err := done.RowsAffected(); n == 0 || err != nil {
		return 0, false, err
	}
	id, err = done.LastInsertId()
	return id, true, err
}

// missing inserts the rows of the targets that have none.
func missing(ctx context.Context, stmt sqlitefile.Statement, body int64, targets []string, args []any) ([]inbox.Created, error) {
	var ordinals []int64
	var ordinal int64
	err := sqlitefile.ForEachRow(ctx, stmt, args, []any{&ordinal}, func() error {
		ordinals = append(ordinals, ordinal)
		return nil
	})
	if err != nil {
		return nil, err
	}
	// RETURNING promises no order.
	slices.Sort(ordinals)
	created := make([]inbox.Created, len(ordinals))
	for i, ordinal := range ordinals {
		created[i] = inbox.Created{Username: targets[ordinal], ID: inbox.RecordID(body, ordinal)}
	}
	return created, nil
}

// MarkRead decides in one statement. Mark-reads that come meanwhile share its transaction.
func (s *Store) MarkRead(ctx context.Context, p inbox.MarkReadParams) (inbox.MarkReadResult, error) {
	return s.reads.Do(ctx, p, p.Key())
}

// markReadAlone has a transaction of its own.
func (s *Store) markReadAlone(ctx context.Context, p inbox.MarkReadParams, _ bool) (result inbox.MarkReadResult, err error) {
	err = s.file.Change(ctx, "mark read", func(ctx context.Context, tx *sql.Tx) (err error) {
		if result, err = markRead(ctx, sqlitefile.In(ctx, tx, s.updateRead), p); err == nil && result.Switched == 0 {
			return sqlitefile.ErrUnchanged
		}
		return err
	})
	return result, err
}

func markRead(ctx context.Context, update sqlitefile.Statement, p inbox.MarkReadParams) (inbox.MarkReadResult, error) {
	result, err := update.ExecContext(ctx, micros(p.Now), p.ClientID, p.SourceMessageID, p.Username)
	if err != nil {
		return inbox.MarkReadResult{}, err
	}
	n, err := result.RowsAffected()
	return inbox.MarkReadResult{Switched: int(n)}, err
}
