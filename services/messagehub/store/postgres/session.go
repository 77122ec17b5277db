package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/hub/pkg/pgcall"
)

// session is a connection with the way in which it takes statements.
type session struct {
	*pgx.Conn
	mode pgx.QueryExecMode
}

// Query is pgx.Conn.Query in the session's mode.
func (s session) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return s.Conn.Query(ctx, sql, append([]any{s.mode}, args...)...)
}

// preparing marks the connections on which statements can be prepared.
const preparing = "preparing"

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
	conn.PgConn().CustomData()[preparing] = process == conn.PgConn().PID()
	return nil
}

// call runs try on a connection, and again where pgcall.Do repeats.
func (s *Store) call(ctx context.Context, try func(conn session, unknown bool) error) error {
	return pgcall.Do(ctx, func(unknown bool) error {
		conn, err := s.acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		ours := session{Conn: conn.Conn(), mode: pgx.QueryExecModeCacheDescribe}
		if ours.PgConn().CustomData()[preparing] == true {
			ours.mode = pgx.QueryExecModeCacheStatement
		}
		err = try(ours, unknown)
		switch {
		case err == nil:
			return nil
		case ours.IsClosed() && ctx.Err() == nil:
			s.lostAt.Store(time.Now().UnixNano())
			return pgcall.Lost(err)
		case pgcall.Demoted(err):
			s.pool.Reset()
		}
		return err
	})
}

func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.acquireTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			s.timeouts.Add(1)
		}
		return nil, pgcall.Unreachable(fmt.Errorf("acquire connection: %w", err))
	}
	return conn, nil
}

// doubtful tells whether to ask a connection for a sign of life before it is used: it was idle for
// more than a second, or another one was lost since, and they are often lost together.
func (s *Store) doubtful(_ context.Context, p pgxpool.ShouldPingParams) bool {
	idleSince := time.Now().Add(-p.IdleDuration).UnixNano()
	return p.IdleDuration > time.Second || idleSince <= s.lostAt.Load()
}
