package pg

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/migrate"
)

const (
	// migratePause lies between two attempts to migrate.
	migratePause = time.Second
	// migrateSign is how often a waiting migration says so.
	migrateSign = 15 * time.Second
)

// Migrate brings the schema up to date. Several processes may do so at once.
func (db *DB) Migrate(ctx context.Context) error {
	handle := stdlib.OpenDBFromPool(db.calls)
	defer func() { _ = handle.Close() }() // it holds no connections of its own
	return migrate.Run(ctx, handle, migrate.Postgres, db.schema.Migrations)
}

// MigrateWithin is Migrate for a database that may be away for now: no connection, a server that starts,
// stops or has no room. It tries again each second until wait is over. What waiting does not mend ends
// it at once: a wrong password, a database that does not exist, a certificate that is not trusted, a
// migration that fails.
func (db *DB) MigrateWithin(ctx context.Context, wait time.Duration) error {
	start := time.Now()
	var said time.Time
	for {
		err := db.Migrate(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("stopped before the database was up to date: %w", err)
		case !mends(err):
			return err
		case time.Since(start) >= wait:
			return fmt.Errorf("the database was away for %v: %w", wait, err)
		}
		if time.Since(said) >= migrateSign {
			said = time.Now()
			db.logger.WarnContext(ctx, "waiting for the database", "cause", err.Error(), "left", (wait - time.Since(start)).Round(time.Second).String())
		}
		lifecycle.Sleep(ctx, min(migratePause, wait-time.Since(start)))
	}
}

// queryCanceled is how a server ends a statement that runs into its statement_timeout. The next attempt
// would, too.
const queryCanceled = "57014"

// mends tells whether a migration that failed with err may succeed later, without anybody's doing.
func mends(err error) bool {
	if code := codeOf(err); code != "" {
		return away(err) && code != queryCanceled
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return false
	}
	var noConnection *pgconn.ConnectError
	var broken net.Error
	return errors.As(err, &noConnection) || errors.As(err, &broken) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, pgconn.ErrConnClosed)
}
