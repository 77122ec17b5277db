package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Observe does what the driver does around a statement, without the statement.
func (s Session) Observe(ctx context.Context, sql string, answer pgconn.CommandTag) {
	ctx = s.observer.TraceQueryStart(ctx, s.Conn, pgx.TraceQueryStartData{SQL: sql})
	s.observer.TraceQueryEnd(ctx, s.Conn, pgx.TraceQueryEndData{CommandTag: answer})
}
