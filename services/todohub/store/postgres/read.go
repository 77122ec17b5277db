package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// Count reads one range of todo_list for each list.
func (s *Store) Count(ctx context.Context, p todo.CountParams) (c todo.Counts, err error) {
	err = s.Call(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, countTodos, countArgs(p)...)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&c.ToHandle, &c.ToRead, &c.Overdue, &c.Done, &c.Read}, func() error { return nil })
		return err
	})
	return c, pg.Failed("count todos", err)
}

func countArgs(p todo.CountParams) []any {
	return []any{
		p.AssigneeUsername, p.ToHandle, p.ToRead, p.Overdue, p.Done, p.Read, p.Now,
		todo.Open, todo.Cleared, todo.Handle, todo.Review,
	}
}

// Get reads one row by its key.
func (s *Store) Get(ctx context.Context, p todo.GetParams) (todo.Item, error) {
	item, found, err := s.one(ctx, scan, func(ctx context.Context, conn pg.Session, _ bool) (pgx.Rows, error) {
		return conn.Query(ctx, getTodo, p.ID)
	})
	if err == nil && !found {
		return todo.Item{}, todo.NotFound(p.ID)
	}
	return item, pg.Failed("get todo", err)
}
