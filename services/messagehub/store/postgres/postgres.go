// Package postgres keeps the inbox in PostgreSQL, for several replicas of the hub.
package postgres

import (
	"context"
	"embed"
	"time"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/messagehub/internal/inbox"
)

//go:embed migrations
var migrations embed.FS

// callTimeout is the longest that a call for one user may take, repeats included, whatever time its
// caller has. A push has more, and a list has the time that its caller gives it.
const callTimeout = 2 * time.Second

// Store is an inbox.Store on PostgreSQL.
type Store struct {
	*pg.DB
	pushes *trip.Group[inbox.MessageKey, inbox.PushParams, inbox.PushResult]
	reads  *trip.Group[inbox.ReadKey, inbox.MarkReadParams, inbox.MarkReadResult]
}

var _ inbox.Store = (*Store)(nil)

// Open makes a store. It does not wait for the database, which may be away: Ping tells.
func Open(ctx context.Context, d pg.Deps) (*Store, error) {
	db, err := pg.Open(ctx, d, pg.Schema{Name: "messagehub", Migrations: migrations, Ready: ping})
	if err != nil {
		return nil, err
	}
	s := &Store{DB: db}
	patience := d.Config.AcquireTimeout
	s.pushes = trip.New[inbox.MessageKey](trip.Config[inbox.PushParams, inbox.PushResult]{
		One: s.pushAlone, Many: s.pushShared, Trips: sharedTrips, Patience: patience,
	})
	s.reads = trip.New[inbox.ReadKey](trip.Config[inbox.MarkReadParams, inbox.MarkReadResult]{
		One: s.markReadAlone, Many: s.markReadShared, Trips: sharedTrips, Patience: patience,
	})
	if d.Metrics != nil {
		s.pushes.Measure(d.Metrics, "insert_pushes")
		s.reads.Measure(d.Metrics, "update_reads")
	}
	return s, nil
}

// Close waits for running calls and closes the connections.
func (s *Store) Close() {
	s.pushes.Close()
	s.reads.Close()
	s.DB.Close()
}
