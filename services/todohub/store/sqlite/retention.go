package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

var _ retention.Store = (*Store)(nil)

// RemoveOld implements retention.Store for items that are finished.
func (s *Store) RemoveOld(ctx context.Context, b retention.Batch) (retention.Result, error) {
	return s.file.RemoveOld(ctx, sqlitefile.Removal{Entries: "todos", Users: s.selectAssignees, Remove: s.removeOld}, b)
}

func (s *Store) removeOld(ctx context.Context, tx *sql.Tx, users string, b retention.Batch) ([]string, error) {
	return sqlitefile.Texts(ctx, sqlitefile.In(ctx, tx, s.deleteOld),
		users, todo.Cleared, todo.Invalid, todo.Handle, todo.Review, micros(b.Before), b.Rows)
}
