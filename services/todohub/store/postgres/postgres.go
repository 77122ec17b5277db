// Package postgres keeps todos in PostgreSQL, for several replicas of the hub.
package postgres

import (
	"context"
	"embed"
	"time"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/todohub/internal/todo"
)

//go:embed migrations
var migrations embed.FS

// callTimeout is the longest that a call for one item may take, repeats included, whatever time its
// caller has. A list has the time that its caller gives it.
const callTimeout = 2 * time.Second

// upsertTrips is the number of statements of upserts at a time.
const upsertTrips = 2

// Store is a todo.Store on PostgreSQL.
type Store struct {
	*pg.DB
	upserts *trip.Group[string, todo.UpsertParams, todo.ChangeResult]
}

var _ todo.Store = (*Store)(nil)

// Open makes a store. It does not wait for the database, which may be away: Ping tells.
func Open(ctx context.Context, d pg.Deps) (*Store, error) {
	db, err := pg.Open(ctx, d, pg.Schema{Name: "todohub", Migrations: migrations, Ready: ping})
	if err != nil {
		return nil, err
	}
	s := &Store{DB: db}
	s.upserts = trip.New[string](trip.Config[todo.UpsertParams, todo.ChangeResult]{
		One: s.upsertAlone, Many: s.upsertShared, Trips: upsertTrips, Patience: d.Config.AcquireTimeout,
	})
	if d.Metrics != nil {
		s.upserts.Measure(d.Metrics, "upsert_todos")
	}
	return s, nil
}

// Close waits for running calls and closes the connections.
func (s *Store) Close() {
	s.upserts.Close()
	s.DB.Close()
}
