package sqlitefile

import (
	"context"
	"database/sql"
	"encoding/json"

	"example.com/hub/pkg/retention"
)

// Removal is how an area removes its old entries.
type Removal struct {
	// Entries is what they are, in the plural, for errors.
	Entries string
	// Users is a statement that answers the next users, in order, behind a name, and at most a number of them.
	Users *sql.Stmt
	// Remove removes old entries of the users, a JSON array, and gives the user of each.
	Remove func(ctx context.Context, tx *sql.Tx, users string, b retention.Batch) (owners []string, err error)
}

// RemoveOld is retention.Store's.
func (db *DB) RemoveOld(ctx context.Context, r Removal, b retention.Batch) (retention.Result, error) {
	users, err := Texts(ctx, r.Users, b.After, b.Users)
	if err != nil {
		return retention.Result{}, db.Failed(ctx, "list the users of "+r.Entries, err)
	}
	if len(users) == 0 {
		return retention.Result{Done: true}, nil
	}
	list, err := json.Marshal(users)
	if err != nil {
		return retention.Result{}, err
	}
	var owners []string
	err = db.Change(ctx, "remove old "+r.Entries, func(ctx context.Context, tx *sql.Tx) (err error) {
		owners, err = r.Remove(ctx, tx, string(list), b)
		return err
	})
	if err != nil {
		return retention.Result{}, err
	}
	return b.Progress(users, owners), nil
}
