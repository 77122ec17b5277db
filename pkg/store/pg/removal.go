package pg

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/retention"
)

// removalTimeout is the longest that a batch may take, repeats included.
const removalTimeout = 2 * time.Second

// Removal is how an area removes its old entries.
type Removal struct {
	// Entries is what they are, in the plural, for errors.
	Entries string
	// Lock is a statement that answers true to one transaction at a time, so that of several processes one
	// is at it. The lock is the transaction's, so that a pooler may stand in between.
	Lock string
	// Users is a statement that answers the next users, in order, behind a name, and at most a number of them.
	Users string
	// Remove removes old entries of the users, and gives the user of each.
	Remove func(ctx context.Context, tx pgx.Tx, users []string, b retention.Batch) (owners []string, err error)
}

// RemoveOld is retention.Store's.
func (db *DB) RemoveOld(ctx context.Context, r *Removal, b retention.Batch) (result retention.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, removalTimeout)
	defer cancel()
	err = db.Call(ctx, func(conn Session, _ bool) error {
		return pgx.BeginFunc(ctx, conn.Conn, func(tx pgx.Tx) (err error) {
			result, err = r.batch(ctx, tx, b)
			return err
		})
	})
	return result, Failed("remove old "+r.Entries, err)
}

func (r *Removal) batch(ctx context.Context, tx pgx.Tx, b retention.Batch) (retention.Result, error) {
	var mine bool
	if err := tx.QueryRow(ctx, r.Lock).Scan(&mine); err != nil || !mine {
		return retention.Result{Busy: err == nil}, err
	}
	users, err := Texts(ctx, tx, r.Users, b.After, b.Users)
	if err != nil {
		return retention.Result{}, err
	}
	owners, err := r.Remove(ctx, tx, users, b)
	if err != nil {
		return retention.Result{}, err
	}
	return b.Progress(users, owners), nil
}

// Texts runs a statement that answers one column of text.
func Texts(ctx context.Context, tx pgx.Tx, query string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
