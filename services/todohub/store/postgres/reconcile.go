package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// Reconcile decides in one statement. Its time grows with the range of ids, and is the context's as in List.
// A repeat after a lost connection closes what the lost run has left, and counts that alone.
func (s *Store) Reconcile(ctx context.Context, p todo.ReconcileParams) (result todo.ReconcileResult, err error) {
	ids, versions := make([]string, len(p.Open)), make([]*int64, len(p.Open))
	for i, o := range p.Open {
		ids[i], versions[i] = o.ID, o.SourceVersion
	}
	var open int64
	err = s.CallHeavy(ctx, func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(ctx, reconcileTodos,
			ids, versions, p.ClientID, todo.Open, p.From, p.To, p.AsOf, p.Owner, p.MaxClose, p.Action, p.Now,
			p.Action == todo.Cleared, p.Result, p.DryRun)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&result.Closed, &result.IDs, &result.Assignees, &open, &result.Stale}, func() error { return nil })
		return err
	})
	result.Missing = int64(len(p.Open)) - open
	return result, pg.Failed("reconcile todos", err)
}
