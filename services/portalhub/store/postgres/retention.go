package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/store/pg"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for sessions that were renewed last before the time.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	return s.DB.RemoveOld(ctx, &oldSessions, b)
}

var oldSessions = pg.Removal{
	Entries: "sessions", Lock: lockRetention, Users: selectSessionUsers,
	Remove: func(ctx context.Context, tx pgx.Tx, users []string, b retention.Batch) ([]string, error) {
		return pg.Texts(ctx, tx, deleteOldSessions, users, b.Before, b.Rows)
	},
}
