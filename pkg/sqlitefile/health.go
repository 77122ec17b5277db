package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// state is the trouble that a statement met, for Ping. Damage lasts until the file is opened anew.
type state struct {
	trouble trouble
	reason  error
}

// describe names the file and where an operator reads on.
func (db *DB) describe(t trouble) string {
	if t == damaged {
		return db.path + " is damaged, see docs/operations/backup.md#a-damaged-file"
	}
	return db.path + " cannot be written"
}

// note keeps the worst trouble that was met.
func (db *DB) note(t trouble, reason error) {
	met := &state{t, reason}
	for {
		known := db.met.Load()
		if known != nil && known.trouble >= t || db.met.CompareAndSwap(known, met) {
			return
		}
	}
}

// Ping runs query, which must read a table of the file. It fails, too, once a statement has met damage,
// which no short check can prove to be gone; and while the file could not be written, until that works
// again.
func (db *DB) Ping(ctx context.Context, query string) error {
	known := db.met.Load()
	if known != nil && known.trouble == damaged {
		return known.reason
	}
	var one int
	if err := db.Read.QueryRowContext(ctx, query).Scan(&one); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return db.Failed(ctx, "ping", err)
	}
	if known == nil {
		return nil
	}
	if err := db.Change(ctx, "write again", rewrite); err != nil {
		return err
	}
	db.met.CompareAndSwap(known, nil)
	return nil
}

// rewrite writes the first page of the file as it is.
func rewrite(ctx context.Context, tx *sql.Tx) error {
	var version int
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}
