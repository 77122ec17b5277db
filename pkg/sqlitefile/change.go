package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
)

// ChangeTimeout is the longest that a change may take up to its commit, whatever time its caller has:
// twice as long as a lock is waited for.
const ChangeTimeout = 2 * busyTimeout

// ErrUnchanged ends a change that found nothing to do: it is rolled back, and Change gives nil.
var ErrUnchanged = errors.New("nothing to change")

// Change runs f in one transaction and commits it when f gives nil. An error, which is Failed's, says
// that nothing was stored.
//
// That is more than a statement on its own promises: cut off by the end of its context it may report
// that end and be committed all the same, and then nobody announces what it did. Here the end of ctx
// counts until the commit begins; from there on the commit is seen through.
func (db *DB) Change(ctx context.Context, doing string, f func(ctx context.Context, tx *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, ChangeTimeout)
	defer cancel()
	err := db.change(ctx, f)
	if errors.Is(err, ErrUnchanged) {
		return nil
	}
	return db.Failed(ctx, doing, err)
}

func (db *DB) change(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
	tx, err := db.Write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after the commit it does nothing
	if err := f(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Brief is the context of statements that take microseconds each, in a transaction that was begun with ctx. The end
// of ctx still ends the transaction; but it interrupts no statement, for which the driver would have a goroutine wait
// in each.
func Brief(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }
