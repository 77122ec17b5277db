// Package postgres keeps what the portal needs in PostgreSQL, for several replicas of the hub.
package postgres

import (
	"context"
	"embed"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
)

//go:embed migrations
var migrations embed.FS

// callTimeout is the longest that a call for one entry may take, repeats included, whatever time its
// caller has.
const callTimeout = 2 * time.Second

// Store is a portalhub.Store on PostgreSQL.
type Store struct{ *pg.DB }

// Open makes a store. It does not wait for the database, which may be away: Ping tells.
func Open(ctx context.Context, d pg.Deps) (*Store, error) {
	db, err := pg.Open(ctx, d, pg.Schema{Name: "portalhub", Migrations: migrations, Ready: ping})
	if err != nil {
		return nil, err
	}
	return &Store{db}, nil
}

// create runs a statement that adds a row of a table unless there are enough, one at a time: two that count at once
// would both find room. It tells also whether it ran before with an unknown end.
func (s *Store) create(ctx context.Context, table, query string, args ...any) (created, repeated bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, unknown bool) error {
		repeated = unknown
		return pgx.BeginFunc(ctx, conn.Conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockName, table); err != nil {
				return err
			}
			tag, err := tx.Exec(ctx, query, args...)
			created = tag.RowsAffected() > 0
			return err
		})
	})
	return created, repeated, err
}

// ping needs every migration.
const ping = `-- name: ping
SELECT kept
FROM file
LIMIT 1`
