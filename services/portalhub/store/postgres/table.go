package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg"
)

// table reads rows.
type table[T any] struct {
	scan pgx.RowToFunc[T]
	// missing is the error of an id that no row has.
	missing func(id string) error
}

// one runs a statement that answers the row with an id.
func (t table[T]) one(ctx context.Context, s *Store, doing, id, query string, args ...any) (row T, err error) {
	rows, err := t.list(ctx, s, doing, query, args...)
	if err == nil && len(rows) == 0 {
		err = t.missing(id)
	}
	if err != nil {
		return row, err
	}
	return rows[0], nil
}

// list runs a statement that answers a few rows.
func (t table[T]) list(ctx context.Context, s *Store, doing, query string, args ...any) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	rows, _, err := t.all(ctx, s, query, args...)
	return rows, pg.Failed(doing, err)
}

// all runs a statement that answers rows, in the time of the context. It tells also whether it ran before with an
// unknown end.
func (t table[T]) all(ctx context.Context, s *Store, query string, args ...any) (rows []T, repeated bool, err error) {
	err = s.Call(ctx, func(conn pg.Session, unknown bool) error {
		repeated = unknown
		answer, err := conn.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		rows, err = pgx.CollectRows(answer, t.scan)
		return err
	})
	return rows, repeated, err
}

// texts is a list that is not null.
func texts(list []string) []string { return append([]string{}, list...) }
