package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/sqlitefile"
)

// table reads rows.
type table[T any] struct {
	// rows runs a statement and reads all that it answers.
	rows func(ctx context.Context, stmt sqlitefile.Statement, args ...any) ([]T, error)
	// missing is the error of an id that no row has.
	missing func(id string) error
}

// one runs a statement that answers the row with an id.
func (t table[T]) one(ctx context.Context, stmt sqlitefile.Statement, id string, args ...any) (row T, err error) {
	rows, err := t.rows(ctx, stmt, args...)
	if err == nil && len(rows) == 0 {
		err = t.missing(id)
	}
	if err != nil {
		return row, err
	}
	return rows[0], nil
}

// get reads the row with an id.
func (t table[T]) get(ctx context.Context, s *Store, doing, id string, stmt *sql.Stmt) (T, error) {
	row, err := t.one(ctx, stmt, id, id)
	return row, s.file.Failed(ctx, doing, err)
}

// change runs a statement that changes the row with an id and answers it.
func (t table[T]) change(ctx context.Context, s *Store, doing, id string, stmt *sql.Stmt, args ...any) (row T, err error) {
	err = s.file.Change(ctx, doing, func(ctx context.Context, tx *sql.Tx) error {
		row, err = t.one(ctx, sqlitefile.In(ctx, tx, stmt), id, args...)
		return err
	})
	return row, err
}

// texts is a list as a JSON array, which is [] for nil.
func texts(list []string) (string, error) {
	b, err := json.Marshal(append([]string{}, list...))
	return string(b), err
}
