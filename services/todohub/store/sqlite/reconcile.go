package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/todohub/internal/todo"
)

// Reconcile finds what is gone and closes it in one transaction, which no other change is beside.
func (s *Store) Reconcile(ctx context.Context, p todo.ReconcileParams) (result todo.ReconcileResult, err error) {
	ids, pairs := make([]string, len(p.Open)), make([][2]any, len(p.Open))
	for i, o := range p.Open {
		ids[i], pairs[i] = o.ID, [2]any{o.ID, o.SourceVersion}
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return result, err
	}
	versions, err := json.Marshal(pairs)
	if err != nil {
		return result, err
	}
	err = s.file.Change(ctx, "reconcile todos", func(ctx context.Context, tx *sql.Tx) error {
		var open int64
		count := sqlitefile.In(ctx, tx, s.countListed)
		if err := count.QueryRowContext(ctx, string(versions), todo.Open).Scan(&open, &result.Stale); err != nil {
			return err
		}
		result.Missing = int64(len(p.Open)) - open
		var id, assignee string
		err := sqlitefile.ForEachRow(ctx, sqlitefile.In(ctx, tx, s.selectGone), []any{
			p.ClientID, todo.Open, p.From, p.To, micros(p.AsOf), p.Owner, string(list), p.MaxClose,
		}, []any{&id, &assignee}, func() error {
			result.IDs, result.Assignees = append(result.IDs, id), append(result.Assignees, assignee)
			return nil
		})
		if err != nil {
			return err
		}
		result.Closed = int64(len(result.IDs))
		if p.DryRun || result.Closed > p.MaxClose {
			return sqlitefile.ErrUnchanged
		}
		for _, id := range result.IDs {
			if err := s.closeGone(ctx, tx, p, id); err != nil {
				return err
			}
		}
		return nil
	})
	return result, err
}

// closeGone clears or invalidates an item in a transaction.
func (s *Store) closeGone(ctx context.Context, tx *sql.Tx, p todo.ReconcileParams, id string) (err error) {
	if p.Action == todo.Cleared {
		_, _, err = one(ctx, sqlitefile.In(ctx, tx, s.clearTodo),
			id, todo.Open, todo.Cleared, p.Result, micros(p.Now), "", "", micros(p.Now), p.ClientID, p.Owner, nil)
		return err
	}
	_, _, err = one(ctx, sqlitefile.In(ctx, tx, s.invalidateTodo),
		id, todo.Open, todo.Invalid, p.Result, micros(p.Now), p.ClientID, p.Owner, nil)
	return err
}
