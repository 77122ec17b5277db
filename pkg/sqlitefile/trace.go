package sqlitefile

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"time"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
)

// Option changes how a file is opened.
type Option func(*options)

type options struct{ tracer *tracing.Tracer }

// Traced traces the statements of calls that are traced.
func Traced(t *tracing.Tracer) Option { return func(o *options) { o.tracer = t } }

// traced gives db's twin whose statements are traced. Nothing was done with db yet.
func traced(db *sql.DB, dsn string, t *tracing.Tracer) *sql.DB {
	return sql.OpenDB(connector{driver: db.Driver(), dsn: dsn, tracer: t})
}

// connector makes connections that are traced.
type connector struct {
	driver driver.Driver
	dsn    string
	tracer *tracing.Tracer
}

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) {
	opened, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	able, ok := opened.(ableConn)
	if !ok {
		return nil, errors.Join(errors.New("the driver lacks what tracing needs"), opened.Close())
	}
	return conn{able, c.tracer}, nil
}

// ableConn is what package sql uses of the driver's connections.
type ableConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type conn struct {
	ableConn
	tracer *tracing.Tracer
}

// PrepareContext implements driver.ConnPrepareContext.
func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	prepared, err := c.ableConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	able, ok := prepared.(ableStmt)
	if !ok {
		return nil, errors.Join(errors.New("the driver lacks what tracing needs"), prepared.Close())
	}
	return stmt{able, telemetry.StatementName(query), c.tracer}, nil
}

// ExecContext implements driver.ExecerContext.
func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return exec(ctx, c.tracer, telemetry.StatementName(query), func() (driver.Result, error) {
		return c.ableConn.ExecContext(ctx, query, args)
	})
}

// QueryContext implements driver.QueryerContext.
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return list(ctx, c.tracer, telemetry.StatementName(query), func() (driver.Rows, error) {
		return c.ableConn.QueryContext(ctx, query, args)
	})
}

// ableStmt is what package sql uses of the driver's statements.
type ableStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type stmt struct {
	ableStmt
	name   string
	tracer *tracing.Tracer
}

// ExecContext implements driver.StmtExecContext.
func (s stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return exec(ctx, s.tracer, s.name, func() (driver.Result, error) { return s.ableStmt.ExecContext(ctx, args) })
}

// QueryContext implements driver.StmtQueryContext.
func (s stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return list(ctx, s.tracer, s.name, func() (driver.Rows, error) { return s.ableStmt.QueryContext(ctx, args) })
}

func exec(ctx context.Context, t *tracing.Tracer, name string, run func() (driver.Result, error)) (driver.Result, error) {
	s := tracing.Statement{System: tracing.SQLite, Name: name, Began: time.Now()}
	result, err := run()
	if s.Err = err; err == nil {
		s.Rows, _ = result.RowsAffected()
	}
	t.Statement(ctx, s)
	return result, err
}

func list(ctx context.Context, t *tracing.Tracer, name string, run func() (driver.Rows, error)) (driver.Rows, error) {
	s := tracing.Statement{System: tracing.SQLite, Name: name, Began: time.Now()}
	answer, err := run()
	if err != nil {
		s.Err = err
		t.Statement(ctx, s)
		return nil, err
	}
	return &rows{Rows: answer, statement: s, end: func(s tracing.Statement) { t.Statement(ctx, s) }}, nil
}

// rows ends the statement when they are closed.
type rows struct {
	driver.Rows
	statement tracing.Statement
	end       func(tracing.Statement)
}

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	switch {
	case err == nil:
		r.statement.Rows++
	case !errors.Is(err, io.EOF):
		r.statement.Err = err
	}
	return err
}

// Close implements driver.Rows.
func (r *rows) Close() error {
	err := r.Rows.Close()
	r.end(r.statement)
	return err
}
