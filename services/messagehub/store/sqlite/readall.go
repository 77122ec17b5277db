package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/messagehub/internal/inbox"
)

// MarkAllRead finds a batch and switches it in one transaction, which holds the write lock from its start.
func (s *Store) MarkAllRead(ctx context.Context, p inbox.MarkAllReadParams) (done inbox.AllRead, err error) {
	err = s.file.Change(ctx, "mark all read", func(ctx context.Context, tx *sql.Tx) (err error) {
		var messages []int64
		if messages, done, err = s.unreadBatch(ctx, tx, p); err != nil {
			return err
		}
		if len(messages) == 0 {
			return sqlitefile.ErrUnchanged
		}
		list, err := json.Marshal(messages)
		if err != nil {
			return err
		}
		_, err = sqlitefile.In(ctx, tx, s.updateAllRead).ExecContext(ctx, micros(p.Now), p.ClientID, p.Username, string(list))
		return err
	})
	return done, err
}

// unreadBatch gives the messages that match in a batch, and what is done with it.
func (s *Store) unreadBatch(
	ctx context.Context, tx *sql.Tx, p inbox.MarkAllReadParams,
) (messages []int64, done inbox.AllRead, err error) {
	done = p.Done
	args := []any{
		p.Username, p.UpTo.Body, p.SourceAppID, p.Category, p.Rows, micros(p.Done.Below.At), p.Done.Below.Body,
	}
	var message, occurred int64
	var id string
	var matches bool
	looked := 0
	into := []any{&message, &occurred, &done.Below.Body, &id, &matches}
	err = sqlitefile.ForEachRow(ctx, sqlitefile.In(ctx, tx, s.selectAllRead), args, into, func() error {
		looked++
		done.Below.At = instant(occurred)
		if !matches {
			return nil
		}
		messages = append(messages, message)
		if done.Newest == "" {
			done.Newest = id
		}
		return nil
	})
	done.Switched += int64(len(messages))
	done.End = looked < p.Rows
	return messages, done, err
}
