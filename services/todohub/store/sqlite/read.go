package sqlite

import (
	"context"

	"example.com/hub/services/todohub/internal/todo"
)

// Get reads one row by its key.
func (s *Store) Get(ctx context.Context, p todo.GetParams) (todo.Item, error) {
	item, found, err := one(ctx, s.getTodo, p.ID)
	if err == nil && !found {
		return todo.Item{}, todo.NotFound(p.ID)
	}
	return item, s.file.Failed(ctx, "get todo", err)
}
