package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/sqlitefile"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for sessions that were renewed last before the time.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	return s.file.RemoveOld(ctx, sqlitefile.Removal{Entries: "sessions", Users: s.selectSessionUsers, Remove: s.removeOld}, b)
}

func (s *Store) removeOld(ctx context.Context, tx *sql.Tx, users string, b retention.Batch) ([]string, error) {
	return sqlitefile.Texts(ctx, sqlitefile.In(ctx, tx, s.deleteOldSessions), users, micros(b.Before), b.Rows)
}
