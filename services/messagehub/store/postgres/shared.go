package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/messagehub/internal/inbox"
)

// sharedTrips is the number of statements of a kind at a time.
const sharedTrips = 2

// pushShared stores the pushes whose keys are new; the others are made alone.
func (s *Store) pushShared(ctx context.Context, all []inbox.PushParams) ([]trip.Outcome[inbox.PushResult], error) {
	args, targets, err := pushesArgs(all)
	if err != nil {
		return nil, trip.Alone{}
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout+time.Duration(targets)*targetTimeout)
	defer cancel()
	return shared[inbox.PushResult]{
		doing: "push messages", sql: insertPushes, args: args, calls: len(all),
		none: trip.Outcome[inbox.PushResult]{Err: trip.Alone{}},
		made: func(i int, body int64, row bus.Position) inbox.PushResult {
			return inbox.PushResult{Created: inbox.CreatedFor(all[i].Targets, body), Position: row}
		},
	}.run(ctx, s)
}

// markReadShared makes mark-reads of several users and message ids.
func (s *Store) markReadShared(ctx context.Context, all []inbox.MarkReadParams) ([]trip.Outcome[inbox.MarkReadResult], error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return shared[inbox.MarkReadResult]{
		doing: "mark messages read", sql: updateReads, args: readsArgs(all), calls: len(all),
		made: func(_ int, switched int64, row bus.Position) inbox.MarkReadResult {
			return inbox.MarkReadResult{Switched: int(switched), Position: row}
		},
	}.run(ctx, s)
}

// shared is a statement for several calls. A row of its answer has the place of a call, from 1, a number that
// says what it did, and the row of the log.
type shared[R any] struct {
	doing string
	sql   string
	args  []any
	calls int
	// none is the outcome of a call that has no row.
	none trip.Outcome[R]
	made func(call int, number int64, row bus.Position) R
}

// run has all calls made alone when the connection is lost, as a repeat for one of them can tell what the lost
// run did, and when the statement and another transaction wait for each other.
func (c shared[R]) run(ctx context.Context, s *Store) ([]trip.Outcome[R], error) {
	outcomes := make([]trip.Outcome[R], c.calls)
	var lost, deadlock bool
	err := s.Call(ctx, func(conn pg.Session, unknown bool) error {
		if lost = unknown; lost {
			return nil
		}
		for i := range outcomes {
			outcomes[i] = c.none
		}
		rows, err := conn.Query(ctx, c.sql, c.args...)
		if err != nil {
			return err
		}
		var place int
		var number int64
		var row bus.Position
		_, err = pgx.ForEachRow(rows, []any{&place, &number, &row.Transaction, &row.Sequence}, func() error {
			outcomes[place-1] = trip.Outcome[R]{Result: c.made(place-1, number, row)}
			return nil
		})
		if deadlock = pg.IsDeadlock(err); deadlock {
			return nil
		}
		return err
	})
	switch {
	case err != nil:
		return nil, trip.Failed(pg.Failed(c.doing, err), lost)
	case lost, deadlock:
		return nil, trip.Alone{Unknown: lost}
	default:
		return outcomes, nil
	}
}
