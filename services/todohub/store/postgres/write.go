package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub/internal/todo"
)

// errOvertaken is a lost upsert that cannot be repeated.
var errOvertaken error = fault.Wrap(fault.Unavailable, "the database is not available",
	errors.New("upsert todo: the connection was lost, and the item was changed before the repeat"))

// Upsert decides in one statement, which upserts that come meanwhile share. When the connection is lost,
// nobody knows whether the item was stored. Storing it once more is right unless another change came in
// between, which must not be undone; then the caller has to decide.
func (s *Store) Upsert(ctx context.Context, p todo.UpsertParams) (todo.ChangeResult, error) {
	return s.upserts.Do(ctx, p, p.ID)
}

// upsertAlone has a statement of its own. With unknown, an earlier one may have stored the item.
func (s *Store) upsertAlone(ctx context.Context, p todo.UpsertParams, unknown bool) (todo.ChangeResult, error) {
	scan := func(rows pgx.CollectableRow) (todo.Item, error) {
		var r row
		err := rows.Scan(r.kept()...)
		return upserted(r.item(rows.RawValues()), &p), err
	}
	result, err := s.change(ctx, "upsert todo", scan, func(ctx context.Context, conn pg.Session, repeated bool) (pgx.Rows, error) {
		return conn.Query(ctx, upsertTodo, upsertArgs(p, unknown || repeated)...)
	})
	result.Repeated = result.Repeated || unknown
	if err == nil && overtaken(result) {
		return todo.ChangeResult{}, errOvertaken
	}
	return result, err
}

// overtaken tells whether a repeated upsert has left a later change.
func overtaken(r todo.ChangeResult) bool { return r.Repeated && !r.Changed }

// Clear decides in one statement. A repeat after a lost connection may find that the lost run has
// cleared the item; then it switches nothing, and the caller finds the item as it wants it.
func (s *Store) Clear(ctx context.Context, p todo.ClearParams) (todo.ChangeResult, error) {
	return s.change(ctx, "clear todo", scan, func(ctx context.Context, conn pg.Session, _ bool) (pgx.Rows, error) {
		return conn.Query(ctx, clearTodo,
			p.ID, todo.Open, todo.Cleared, p.Result, p.ClearedAt, p.ClearedBy, p.Reason,
			p.Now, p.ClientID, p.Owner, p.SourceVersion)
	})
}

// Invalidate decides in one statement, and is like Clear about repeats.
func (s *Store) Invalidate(ctx context.Context, p todo.InvalidateParams) (todo.ChangeResult, error) {
	return s.change(ctx, "invalidate todo", scan, func(ctx context.Context, conn pg.Session, _ bool) (pgx.Rows, error) {
		return conn.Query(ctx, invalidateTodo,
			p.ID, todo.Open, todo.Invalid, p.Reason,
			p.Now, p.ClientID, p.Owner, p.SourceVersion)
	})
}

// change runs a statement that answers the item that it changed.
func (s *Store) change(
	ctx context.Context, doing string, scan pgx.RowToFunc[todo.Item],
	query func(ctx context.Context, conn pg.Session, unknown bool) (pgx.Rows, error),
) (result todo.ChangeResult, err error) {
	result.Item, result.Changed, err = s.one(ctx, scan, func(ctx context.Context, conn pg.Session, unknown bool) (pgx.Rows, error) {
		result.Repeated = unknown
		return query(ctx, conn, unknown)
	})
	return result, pg.Failed(doing, err)
}

// one runs a statement that answers at most one row.
func (s *Store) one(
	ctx context.Context, scan pgx.RowToFunc[todo.Item],
	query func(ctx context.Context, conn pg.Session, unknown bool) (pgx.Rows, error),
) (item todo.Item, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = s.Call(ctx, func(conn pg.Session, unknown bool) error {
		rows, err := query(ctx, conn, unknown)
		if err != nil {
			return err
		}
		item, err = pgx.CollectExactlyOneRow(rows, scan)
		found = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return item, found, err
}
