package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// Get reads one row by its key.
func (s *Store) Get(ctx context.Context, p todo.GetParams) (todo.Item, error) {
	item, found, err := s.one(ctx, func(ctx context.Context, conn pg.Session, _ bool) (pgx.Rows, error) {
		return conn.Query(ctx, getTodo, p.ID)
	})
	if err == nil && !found {
		return todo.Item{}, todo.NotFound(p.ID)
	}
	return item, pg.Failed("get todo", err)
}
