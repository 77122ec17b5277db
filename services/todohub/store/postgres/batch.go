package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// UpsertMany decides in one statement. A repeat after a lost connection is like that of Upsert. The server
// ends it when it and another transaction wait for each other's rows; then it changes none.
func (s *Store) UpsertMany(ctx context.Context, p []todo.UpsertParams) (changed map[string]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout+time.Duration(len(p))*time.Millisecond)
	defer cancel()
	var repeated bool
	err = s.Call(ctx, func(conn pg.Session, unknown bool) error {
		repeated, changed = unknown, make(map[string]string, len(p))
		rows, err := conn.Query(ctx, upsertTodos, manyArgs(p, repeated)...)
		if err != nil {
			return err
		}
		var id, former string
		_, err = pgx.ForEachRow(rows, []any{&id, &former}, func() error {
			changed[id] = former
			return nil
		})
		if pg.IsDeadlock(err) {
			changed = nil
			return nil
		}
		return err
	})
	if err == nil && repeated && len(changed) < len(p) {
		return nil, errOvertaken
	}
	return changed, pg.Failed("upsert todos", err)
}
