// Package outbox sees to it that whatever was committed is announced on the bus, whether the process
// that committed it died, or the bus was away.
//
// A change is announced right after its commit. The store's event log has a row for it, too, and one
// process at a time sweeps the log for rows that nobody heard of on the bus, and announces them.
package outbox

import (
	"context"
	"time"

	"example.com/hub/pkg/bus"
)

// Log is the event log of a store that several processes share. A row is written in the transaction
// of its change, and never changed. Its methods are safe for concurrent use.
type Log interface {
	// Hold takes the lease when nobody has it, or renews it for its holder. Of several holders at the
	// same time at most one has it, by the database's clock. A renewal saves the position.
	Hold(ctx context.Context, p HoldParams) (Lease, error)

	// Release ends the holder's lease, so that another process need not wait, and saves the position.
	// It changes nothing when another one has the lease.
	Release(ctx context.Context, holder string, settled bus.Position) error

	// Rows answers the committed rows after a position, in order, and the low watermark, both of one moment.
	Rows(ctx context.Context, after bus.Position, limit int) (Window, error)

	// Events answers a frame for each row, in order, with the same events in the same order as its
	// first announcement.
	Events(ctx context.Context, rows []Row) ([]bus.Frame, error)

	// Since answers the position after which the rows of the last while are; some of the rows after
	// it may be older. It is zero when all rows are younger.
	Since(ctx context.Context, age time.Duration) (bus.Position, error)

	// Trim deletes some of the oldest rows in one short transaction.
	Trim(ctx context.Context, p TrimParams) (Trimmed, error)
}

// Row is one row of the log.
type Row struct {
	Position bus.Position
	// Kind is that of all its events.
	Kind bus.Kind
	// Events is the number of its events.
	Events int
	// Age is how long ago it was written, by the database's clock.
	Age time.Duration
	// Body is that of the records of a Message.
	Body int64
	// Username, SourceMessageID and Time are those of a Read.
	Username, SourceMessageID string
	Time                      time.Time
}

// Window is a part of the log.
type Window struct {
	Rows []Row
	// Watermark is the low watermark: no row will be committed below it any more. Rows may lie above it.
	Watermark bus.Position
	// End is a transaction that the database has not reached. Positions from there on are not its own.
	End uint64
}

// final tells whether no row can come before r any more.
func (w *Window) final(r Row) bool { return r.Position.Compare(w.Watermark) < 0 }

// HoldParams asks for the lease.
type HoldParams struct {
	// Holder is unique to the process.
	Holder string
	// For is how long the lease lasts.
	For time.Duration
	// Settled is saved if Holder had the lease last.
	Settled bus.Position
}

// Lease says who sweeps.
type Lease struct {
	Held bool
	// Settled is the saved position.
	Settled bus.Position
	// Left is how long another holder's lease lasts.
	Left time.Duration
}

// TrimParams says what may be deleted: rows after After and up to UpTo that are older than Age, and rows
// that came from another database, whose place in the order means nothing.
type TrimParams struct {
	After, UpTo bus.Position
	Age         time.Duration
	// Limit bounds the rows of one transaction; those from another database count apart.
	Limit int
}

// Trimmed says what was deleted, and what the log is like.
type Trimmed struct {
	// Rows is the number of rows; from Limit on, there may be more.
	Rows int
	// UpTo is the position up to which no row of this database is left.
	UpTo bus.Position
	// Age is that of the row at UpTo, when this call deleted it.
	Age time.Duration
	// Bytes is what the log takes on the disk.
	Bytes int64
}
