package pg

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
)

// observer hears of every statement: it measures, traces and logs those that were slow. What it keeps
// between the two ends of a statement stands with the connection, which runs one at a time, so that
// nothing is allocated.
type observer struct {
	database   string
	statements *telemetry.Statements
	tracer     *tracing.Tracer
	slow       slowLog
}

var (
	_ pgx.QueryTracer = (*observer)(nil)
	_ pgx.BatchTracer = (*observer)(nil)
)

// statement is the one that a connection runs.
type statement struct {
	name  string
	began time.Time
}

// nameOf gives the name of a statement. The driver's own begin, commit and rollback are theirs.
func nameOf(sql string) string {
	switch sql {
	case "begin", "commit", "rollback":
		return sql
	}
	return telemetry.StatementName(sql)
}

// TraceQueryStart implements pgx.QueryTracer.
func (o *observer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	stateOf(conn).running = statement{nameOf(data.SQL), time.Now()}
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (o *observer) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	o.done(ctx, stateOf(conn).running, data.CommandTag, data.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (o *observer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	stateOf(conn).running.began = time.Now()
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer. The time of each statement begins with the batch: the server
// gets all at once, and sends nothing before it is done with the last one.
func (o *observer) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	o.done(ctx, statement{nameOf(data.SQL), stateOf(conn).running.began}, data.CommandTag, data.Err)
}

// TraceBatchEnd implements pgx.BatchTracer.
func (*observer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (o *observer) done(ctx context.Context, s statement, tag pgconn.CommandTag, err error) {
	took := time.Since(s.began)
	o.statements.Done(s.name, err != nil && !errors.Is(err, context.Canceled), took)
	o.tracer.Statement(ctx, tracing.Statement{
		Database: o.database, Name: s.name, Began: s.began, Rows: tag.RowsAffected(), Err: err,
	})
	if o.slow.from > 0 && took >= o.slow.from {
		o.slow.write(ctx, s.name, took, tag.RowsAffected(), err)
	}
}

// slowLog writes a line for a slow statement: its name, never its values. An overload makes all
// statements slow, so only so many lines are written of each at a time.
type slowLog struct {
	// from is the time from which a statement is slow; 0 is never.
	from   time.Duration
	logger *slog.Logger
	lines  allowance
}

func (l *slowLog) write(ctx context.Context, name string, took time.Duration, rows int64, err error) {
	left, ok := l.lines.take(name, time.Now())
	if !ok {
		return
	}
	attrs := make([]slog.Attr, 0, 5)
	attrs = append(attrs, slog.String("statement", name), log.Duration(took), slog.Int64("rows", rows), slog.Bool("failed", err != nil))
	if left > 0 {
		attrs = append(attrs, slog.Int("lines_left_out", left))
	}
	l.logger.LogAttrs(ctx, slog.LevelWarn, "slow database statement", attrs...)
}
