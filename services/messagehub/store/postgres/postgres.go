// Package postgres keeps the inbox in PostgreSQL, for several replicas of the hub.
package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/migrate"
	"example.com/hub/pkg/pgcall"
	"example.com/hub/services/messagehub/internal/inbox"
)

//go:embed migrations
var migrations embed.FS

// callTimeout is the longest that a call for one user may take, repeats included, whatever time its
// caller has. A push has more, and a list has the time that its caller gives it.
const callTimeout = 2 * time.Second

// Store is a inbox.Store on PostgreSQL.
type Store struct {
	pool           *pgxpool.Pool
	acquireTimeout time.Duration
	// lostAt is when a connection was last lost, in nanoseconds since 1970; 0 is never.
	lostAt atomic.Int64
	// timeouts counts calls that got no connection in time.
	timeouts atomic.Uint64
}

var _ inbox.Store = (*Store)(nil)

// Open makes a store. It does not wait for the database, which may be away: Ping tells.
func Open(ctx context.Context, c Config) (*Store, error) {
	config, err := c.pool()
	if err != nil {
		return nil, err
	}
	s := &Store{acquireTimeout: c.AcquireTimeout}
	config.ShouldPing = s.doubtful
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	return s, nil
}

// Close waits for running calls and closes the connections.
func (s *Store) Close() { s.pool.Close() }

// Migrate brings the schema up to date. Several processes may do so at once.
func (s *Store) Migrate(ctx context.Context) error {
	db := stdlib.OpenDBFromPool(s.pool)
	defer func() { _ = db.Close() }() // it holds no connections of its own
	return migrate.Run(ctx, db, migrate.Postgres, migrations)
}

// Ping implements inbox.Store. It fails before Migrate, too.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err := s.call(ctx, func(conn session, _ bool) error {
		_, err := conn.Exec(ctx, ping)
		return err
	})
	return failed("ping", err)
}

// failed says what was being done, and tells a database that is away or too slow from a defect.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.Unavailable, "the database is busy", err)
	case pgcall.Away(err):
		return fault.Wrap(fault.Unavailable, "the database is not available", err)
	default:
		return err
	}
}
