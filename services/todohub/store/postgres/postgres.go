// Package postgres keeps todos in PostgreSQL, for several replicas of the hub.
package postgres

import (
	"context"
	"embed"
	"time"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

//go:embed migrations
var migrations embed.FS

// callTimeout is the longest that a call for one item may take, repeats included, whatever time its
// caller has. A list has the time that its caller gives it.
const callTimeout = 2 * time.Second

// Store is a todo.Store on PostgreSQL.
type Store struct{ *pg.DB }

var _ todo.Store = (*Store)(nil)

// Open makes a store. It does not wait for the database, which may be away: Ping tells.
func Open(ctx context.Context, d pg.Deps) (*Store, error) {
	db, err := pg.Open(ctx, d, pg.Schema{Name: "todohub", Migrations: migrations, Ready: ping})
	if err != nil {
		return nil, err
	}
	return &Store{db}, nil
}
