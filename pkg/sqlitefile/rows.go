package sqlitefile

import (
	"context"
	"database/sql"
	"fmt"
)

// ForEachRow reads each row into the pointers and calls f. It closes rows, and so goes with them to the
// end of their statement, like pgx.ForEachRow.
func ForEachRow(rows *sql.Rows, into []any, f func() error) error {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := f(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Preparer prepares statements, which costs more than most of them do when they run. It stops at the first
// that fails.
type Preparer struct{ err error }

// Prepare prepares a statement on DB.Write or DB.Read, which closes it.
func (p *Preparer) Prepare(ctx context.Context, db *sql.DB, text string) *sql.Stmt {
	if p.err != nil {
		return nil
	}
	stmt, err := db.PrepareContext(ctx, text)
	if err != nil {
		p.err = fmt.Errorf("prepare %.30q: %w", text, err)
	}
	return stmt
}

// Err is the first failure, or nil.
func (p *Preparer) Err() error { return p.err }
