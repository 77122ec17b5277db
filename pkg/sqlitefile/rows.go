package sqlitefile

import (
	"context"
	"database/sql"
	"fmt"
)

// Statement is what is used of a *sql.Stmt.
type Statement interface {
	ExecContext(ctx context.Context, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, args ...any) *sql.Row
}

// In is a prepared statement in a transaction, whose end closes what it answers.
func In(ctx context.Context, tx *sql.Tx, stmt *sql.Stmt) Statement { return tx.StmtContext(ctx, stmt) }

// ForEachRow runs a statement, reads each row that it answers into the pointers and calls f. It goes to
// the end of the statement, like pgx.ForEachRow.
func ForEachRow(ctx context.Context, s Statement, args, into []any, f func() error) error {
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
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

// Texts runs a statement that answers one column of text.
func Texts(ctx context.Context, s Statement, args ...any) (all []string, err error) {
	var text string
	err = ForEachRow(ctx, s, args, []any{&text}, func() error {
		all = append(all, text)
		return nil
	})
	return all, err
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
