package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/messagehub/internal/inbox"
)

// pushShared stores the pushes whose keys are new, one after the other in a transaction; the others are made
// alone.
func (s *Store) pushShared(ctx context.Context, all []inbox.PushParams) ([]trip.Outcome[inbox.PushResult], error) {
	outcomes := make([]trip.Outcome[inbox.PushResult], len(all))
	err := s.file.Change(ctx, "push messages", func(ctx context.Context, tx *sql.Tx) error {
		ctx = sqlitefile.Brief(ctx)
		for i, p := range all {
			message, isNew, err := s.message(ctx, tx, p)
			if err != nil {
				return err
			}
			if !isNew {
				outcomes[i].Err = trip.Alone{}
				continue
			}
			if outcomes[i].Result.Created, err = s.records(ctx, tx, message, isNew, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, trip.Failed(err, false)
	}
	return outcomes, nil
}

// markReadShared makes mark-reads one after the other in a transaction.
func (s *Store) markReadShared(ctx context.Context, all []inbox.MarkReadParams) ([]trip.Outcome[inbox.MarkReadResult], error) {
	outcomes := make([]trip.Outcome[inbox.MarkReadResult], len(all))
	err := s.file.Change(ctx, "mark messages read", func(ctx context.Context, tx *sql.Tx) (err error) {
		ctx = sqlitefile.Brief(ctx)
		update := sqlitefile.In(ctx, tx, s.updateRead)
		for i, p := range all {
			if outcomes[i].Result, err = markRead(ctx, update, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, trip.Failed(err, false)
	}
	return outcomes, nil
}
