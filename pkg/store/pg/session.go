package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Session is a connection with the way in which it takes statements. It belongs to one run of a call.
type Session struct {
	*pgx.Conn
	mode     pgx.QueryExecMode
	observer *observer
}

// Query is pgx.Conn.Query in the session's mode.
func (s Session) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return s.Conn.Query(ctx, sql, append([]any{s.mode}, args...)...)
}

// Exec is pgx.Conn.Exec in the session's mode.
func (s Session) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return s.Conn.Exec(ctx, sql, append([]any{s.mode}, args...)...)
}

// Keep lets the server keep the plans of statements that a batch will have, where it can: the driver sends
// those of a batch to be planned each time, unless they are prepared by hand. It takes a round trip for each
// that the connection has not met.
func (s Session) Keep(ctx context.Context, statements ...string) error {
	if s.mode != pgx.QueryExecModeCacheStatement {
		return nil
	}
	for _, sql := range statements {
		if _, err := s.Prepare(ctx, sql, sql); err != nil {
			return err
		}
	}
	return nil
}

// Copy runs a COPY FROM STDIN that reads r.
func (s Session) Copy(ctx context.Context, r io.Reader, sql string) (pgconn.CommandTag, error) {
	running := statement{nameOf(sql), time.Now()}
	tag, err := s.PgConn().CopyFrom(ctx, r, sql)
	s.observer.done(ctx, running, tag, err)
	return tag, err
}

// state is what is kept of a connection.
type state struct {
	// preparing says that statements can be prepared on it.
	preparing bool
	// running is the statement under way.
	running statement
}

// stateKey is its place among the data that the driver lets a connection have.
const stateKey = "hub"

func stateOf(conn *pgx.Conn) *state {
	data := conn.PgConn().CustomData()
	s, ok := data[stateKey].(*state)
	if !ok {
		s = &state{}
		data[stateKey] = s
	}
	return s
}

const selectProcess = `-- name: select_process
SELECT pg_backend_pid()`

// greet finds out whether the new connection leads to one server process. A pooler in between gives
// out numbers of its own, and may send every transaction to another process.
//
// Statements that are prepared by name spare the server to parse and plan them each time: measured
// with 16 callers, that is 1.4 times the rate of upserts, and half the time of a short list. They
// belong to a process, so behind a pooler only the types of a statement are kept, here, and the text
// is sent with every call.
func greet(ctx context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	var process uint32
	row := conn.QueryRow(ctx, selectProcess, pgx.QueryExecModeExec)
	if err := row.Scan(&process); err != nil {
		return fmt.Errorf("ask for the server process: %w", err)
	}
	stateOf(conn).preparing = process == conn.PgConn().PID()
	return nil
}

// Call runs try on a connection, and again where a repeat may help; all runs share the time that ctx
// has. A run that the server undid because of another transaction (deadlock, serialization) is repeated
// up to three times. A run whose connection was lost is repeated once; unknown is then true when the
// lost run may have taken effect, so that try can look for what it did. Whatever else fails, fails.
//
// The error wraps context.Canceled or context.DeadlineExceeded when that is what ended the call; Failed
// makes a fault of the others.
func (db *DB) Call(ctx context.Context, try func(conn Session, unknown bool) error) error {
	return db.on(ctx, db.calls, try)
}

// on is Call on a connection of the pool.
func (db *DB) on(ctx context.Context, pool *pgxpool.Pool, try func(conn Session, unknown bool) error) error {
	return retry(ctx, func(unknown bool) error {
		conn, err := db.acquire(ctx, pool)
		if err != nil {
			return err
		}
		defer conn.Release()
		ours := Session{Conn: conn.Conn(), mode: pgx.QueryExecModeCacheDescribe, observer: db.observer}
		if stateOf(ours.Conn).preparing {
			ours.mode = pgx.QueryExecModeCacheStatement
		}
		err = try(ours, unknown)
		switch {
		case err == nil:
			return nil
		case ours.IsClosed() && ctx.Err() == nil:
			db.lostAt.Store(time.Now().UnixNano())
			return lost(err)
		case demoted(err):
			pool.Reset()
		}
		return err
	})
}

func (db *DB) acquire(ctx context.Context, pool *pgxpool.Pool) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, db.acquireTimeout)
	defer cancel()
	conn, err := pool.Acquire(ctx)
	if err != nil {
		if cut := ctx.Err(); pool == db.calls && !errors.Is(cut, context.Canceled) {
			db.missed(cut)
		}
		return nil, unreachable(fmt.Errorf("acquire connection: %w", err))
	}
	return conn, nil
}

// missed notes that a call got no connection. Unless the pool was full, the server lets nobody in, or
// takes no writes any more, and then Ping must not go on with a connection of before.
func (db *DB) missed(cut error) {
	if errors.Is(cut, context.DeadlineExceeded) {
		db.timeouts.Add(1)
	}
	if s := db.calls.Stat(); s.AcquiredConns() < s.MaxConns() {
		db.readiness.Reset()
	}
}

// doubtful tells whether to ask a connection for a sign of life before it is used: it was idle for
// more than a second, or another one was lost since, and they are often lost together.
func (db *DB) doubtful(_ context.Context, p pgxpool.ShouldPingParams) bool {
	idleSince := time.Now().Add(-p.IdleDuration).UnixNano()
	return p.IdleDuration > time.Second || idleSince <= db.lostAt.Load()
}
