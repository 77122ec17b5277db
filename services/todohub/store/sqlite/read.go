package sqlite

import (
	"context"

	"example.com/hub/services/todohub/internal/todo"
)

// Count reads one range of todo_list for each list.
func (s *Store) Count(ctx context.Context, p todo.CountParams) (c todo.Counts, err error) {
	err = s.countTodos.QueryRowContext(ctx, countArgs(p)...).Scan(&c.ToHandle, &c.ToRead, &c.Overdue, &c.Done, &c.Read)
	return c, s.file.Failed(ctx, "count todos", err)
}

func countArgs(p todo.CountParams) []any {
	return []any{
		p.AssigneeUsername, p.ToHandle, p.ToRead, p.Overdue, p.Done, p.Read, micros(p.Now),
		todo.Open, todo.Cleared, todo.Handle, todo.Review,
	}
}

// Get reads one row by its key.
func (s *Store) Get(ctx context.Context, p todo.GetParams) (todo.Item, error) {
	item, found, err := one(ctx, s.getTodo, p.ID)
	if err == nil && !found {
		return todo.Item{}, todo.NotFound(p.ID)
	}
	return item, s.file.Failed(ctx, "get todo", err)
}
