package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/trip"
	"example.com/hub/services/todohub/internal/todo"
)

// UpsertMany decides in one statement. A repeat after a lost connection is like that of Upsert. The server
// ends it when it and another transaction wait for each other's rows; then it changes none.
func (s *Store) UpsertMany(ctx context.Context, p []todo.UpsertParams) ([]todo.ChangeResult, error) {
	results, _, err := s.upsertMany(ctx, p)
	switch {
	case pg.IsDeadlock(err):
		return make([]todo.ChangeResult, len(p)), nil
	case err != nil:
		return nil, pg.Failed("upsert todos", err)
	case slices.ContainsFunc(results, overtaken):
		return nil, errOvertaken
	}
	return results, nil
}

// upsertShared is UpsertMany for upserts of callers who know nothing of each other.
func (s *Store) upsertShared(ctx context.Context, p []todo.UpsertParams) ([]trip.Outcome[todo.ChangeResult], error) {
	results, unknown, err := s.upsertMany(ctx, p)
	switch {
	case pg.IsDeadlock(err):
		return nil, trip.Alone{Unknown: unknown}
	case err != nil:
		return nil, trip.Failed(pg.Failed("upsert todos", err), unknown)
	}
	outcomes := make([]trip.Outcome[todo.ChangeResult], len(p))
	for i := range results {
		outcomes[i].Result = results[i]
		if overtaken(results[i]) {
			outcomes[i].Err = errOvertaken
		}
	}
	return outcomes, nil
}

// upsertMany gives the results in the order of p. With unknown, an earlier run may have stored the items.
func (s *Store) upsertMany(ctx context.Context, p []todo.UpsertParams) (results []todo.ChangeResult, unknown bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout+time.Duration(len(p))*time.Millisecond)
	defer cancel()
	places := make(map[string]int, len(p))
	for i := range p {
		places[p[i].ID] = i
	}
	var deadlock error
	err = s.Call(ctx, func(conn pg.Session, repeated bool) error {
		unknown, results = repeated, make([]todo.ChangeResult, len(p))
		for i := range results {
			results[i].Repeated = repeated
		}
		rows, err := conn.Query(ctx, upsertTodos, manyArgs(p, repeated)...)
		if err != nil {
			return err
		}
		var r row
		_, err = pgx.ForEachRow(rows, r.kept(), func() error {
			item := r.item(rows.RawValues())
			place := places[item.ID]
			results[place].Item, results[place].Changed = upserted(item, &p[place]), true
			return nil
		})
		if pg.IsDeadlock(err) {
			deadlock = err // to repeat it as a whole would not be better
			return nil
		}
		return err
	})
	if err == nil {
		err = deadlock
	}
	return results, unknown, err
}
