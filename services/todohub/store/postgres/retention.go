package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for items that are finished.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	return s.DB.RemoveOld(ctx, &oldTodos, b)
}

var oldTodos = pg.Removal{
	Entries: "todos", Lock: lockRetention, Users: selectAssignees,
	Remove: func(ctx context.Context, tx pgx.Tx, users []string, b retention.Batch) ([]string, error) {
		return pg.Texts(ctx, tx, deleteOld, users, todo.Cleared, todo.Invalid, todo.Handle, todo.Review, b.Before, b.Rows)
	},
}
