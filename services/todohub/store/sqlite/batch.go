package sqlite

import (
	"context"
	"database/sql"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/todohub/internal/todo"
)

// UpsertMany upserts one item after the other in a transaction.
func (s *Store) UpsertMany(ctx context.Context, p []todo.UpsertParams) ([]todo.ChangeResult, error) {
	results := make([]todo.ChangeResult, len(p))
	err := s.file.Change(ctx, "upsert todos", func(ctx context.Context, tx *sql.Tx) (err error) {
		stmt := sqlitefile.In(ctx, tx, s.upsertTodo)
		for i := range p {
			if results[i].Item, results[i].Changed, err = one(ctx, stmt, upsertArgs(p[i])...); err != nil {
				return err
			}
		}
		return nil
	})
	return results, err
}

// upsertShared is UpsertMany for upserts of callers who know nothing of each other.
func (s *Store) upsertShared(ctx context.Context, p []todo.UpsertParams) ([]trip.Outcome[todo.ChangeResult], error) {
	results, err := s.UpsertMany(ctx, p)
	if err != nil {
		return nil, trip.Failed(err, false)
	}
	outcomes := make([]trip.Outcome[todo.ChangeResult], len(p))
	for i := range results {
		outcomes[i].Result = results[i]
	}
	return outcomes, nil
}
