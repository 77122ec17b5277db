// Package retention removes what an area no longer needs to keep: slowly, in small transactions, so
// that calls do not notice.
package retention

import (
	"context"
	"slices"
	"time"
)

// Store is a database of which old entries can be removed. What may be removed is the area's rule.
type Store interface {
	// RemoveOld removes old entries of the users behind a place, in one transaction that waits for
	// nobody: an entry that somebody else has locked stays until the next time. Users are in the order
	// of the bytes of their names.
	RemoveOld(ctx context.Context, b Batch) (Result, error)
}

// Batch says what to remove at a time.
type Batch struct {
	// Before is the time before which the last change of a removed entry must have been.
	Before time.Time
	// After is the user behind whom to begin; "" is the first.
	After string
	// Users and Rows are the most users to look at, and the most entries to remove; at least 1.
	Users, Rows int
}

// Result says what a batch did.
type Result struct {
	// Removed is the number of entries.
	Removed int
	// Next is where the next batch begins.
	Next string
	// Done tells that no user is behind Next.
	Done bool
	// Busy tells that another process is at it, and nothing was done.
	Busy bool
}

// Progress is the result of a batch that looked at users, in order, and removed one entry of each of
// the owners, in any order.
func (b Batch) Progress(users, owners []string) Result {
	r := Result{Removed: len(owners)}
	switch {
	case len(owners) >= b.Rows:
		// The last owner may have more, and so may those behind.
		r.Next = b.After
		if i := slices.Index(users, slices.Max(owners)); i > 0 {
			r.Next = users[i-1]
		}
	case len(users) < b.Users:
		r.Done = true
	default:
		r.Next = users[len(users)-1]
	}
	return r
}
