package pg

import (
	"context"
	"fmt"
	"time"
)

// CallHeavy is Call for a statement whose time grows with what is stored. At most half of the connections
// have such calls at a time, so that other calls find one of the rest, however many heavy ones come. The
// wait for a place is as long as that for a connection, and ends with the same fault.
func (db *DB) CallHeavy(ctx context.Context, try func(conn Session, unknown bool) error) error {
	late := time.NewTimer(db.acquireTimeout)
	defer late.Stop()
	select {
	case db.heavy <- struct{}{}:
		defer func() { <-db.heavy }()
		return db.Call(ctx, try)
	case <-late.C:
		db.heavyTimeouts.Add(1)
		return unreachable(fmt.Errorf("wait for the end of another heavy call: %w", context.DeadlineExceeded))
	case <-ctx.Done():
		return unreachable(fmt.Errorf("wait for the end of another heavy call: %w", ctx.Err()))
	}
}
