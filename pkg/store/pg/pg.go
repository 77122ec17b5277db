// Package pg is how the hubs talk to PostgreSQL: settings, a pool of connections, and what a call does
// when the database is away, slow or busy. What a store keeps, and its statements, are the store's own.
//
// A statement begins with the line "-- name: insert_push" or the like. The name stands in metrics, traces and
// logs, and in the statistics of the server; the values of a statement never do.
package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
)

// pingTime is the longest that Ping takes, a repeat included.
const pingTime = 2 * time.Second

// Deps is what a process gives to its store.
type Deps struct {
	Config Config
	// Metrics get those of the pool and of the statements; nil means that nobody reads them.
	Metrics *telemetry.Registry
	// Tracer traces the statements of calls that are traced.
	Tracer *tracing.Tracer
	// Logger hears of slow statements, and of a database that a migration waits for; nil means slog.Default().
	Logger *slog.Logger
}

func (d Deps) logger() *slog.Logger { return cmp.Or(d.Logger, slog.Default()) }

// observer makes what hears of the statements.
func (d Deps) observer(database string) *observer {
	o := &observer{
		database: database,
		tracer:   d.Tracer,
		slow:     slowLog{from: d.Config.SlowQuery, logger: d.logger()},
	}
	if d.Metrics != nil {
		o.statements = d.Metrics.Statements()
	}
	return o
}

// Schema is what a store keeps in its database.
type Schema struct {
	// Name is the service's; the server shows it with each connection.
	Name string
	// Migrations are the files of pkg/migrate.
	Migrations fs.FS
	// Ready is a statement that fails until all migrations ran. It should have a name, as all others.
	Ready string
}

// DB is a database of one store.
type DB struct {
	schema         Schema
	acquireTimeout time.Duration
	observer       *observer
	logger         *slog.Logger
	// calls has the connections of calls, and readiness the one of Ping.
	calls, readiness *pgxpool.Pool
	// heavy has a token for each heavy call that is under way.
	heavy chan struct{}
	// lostAt is when a connection was last lost, in nanoseconds since 1970; 0 is never.
	lostAt atomic.Int64
	// timeouts counts calls that got no connection in time, heavyTimeouts those that got no place.
	timeouts, heavyTimeouts atomic.Uint64
}

// Open makes a DB. It does not wait for the database, which may be away: Ping tells.
func Open(ctx context.Context, d Deps, s Schema) (*DB, error) {
	config, err := d.Config.pool()
	if err != nil {
		return nil, err
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "hub-" + s.Name
	}
	db := &DB{
		schema: s, acquireTimeout: d.Config.AcquireTimeout, observer: d.observer(config.ConnConfig.Database),
		logger: d.logger(), heavy: make(chan struct{}, d.Config.heavy()),
	}
	config.ConnConfig.Tracer = db.observer
	config.ShouldPing = db.doubtful
	if db.calls, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	config = config.Copy()
	config.MaxConns, config.MinConns, config.MinIdleConns = 1, 0, 0
	if db.readiness, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		db.calls.Close()
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	if d.Metrics != nil {
		measure(d.Metrics, db.Stats)
	}
	return db, nil
}

// Close waits for running calls and closes the connections.
func (db *DB) Close() {
	db.calls.Close()
	db.readiness.Close()
}

// Ping fails while the database cannot answer, and before Migrate. Its connection is one of its own: a
// process whose pool is used up works as fast as it can, and other processes would not work faster if
// it were taken out.
func (db *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	err := db.on(ctx, db.readiness, func(conn Session, _ bool) error {
		_, err := conn.Exec(ctx, db.schema.Ready)
		return err
	})
	return Failed("ping", err)
}

// Failed says what was being done, and tells a database that is away or too slow from a defect.
func Failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.Unavailable, "the database is busy", err)
	case away(err):
		return fault.Wrap(fault.Unavailable, "the database is not available", err)
	default:
		return err
	}
}
