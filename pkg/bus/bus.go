// Package bus carries events from the hub that stored a change to every edge replica.
//
// The bus is a hint and the database is the truth: an event may repeat and, on a bus between
// machines, may be missing until the sender announces it again, or that it was missing.
package bus

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Kind says what changed.
type Kind uint8

const (
	// Message is a new inbox record.
	Message Kind = iota + 1
	// Read is a record that was switched from UNREAD to READ.
	Read
	// SessionEnd is a user's session that ended. It is for the edges themselves.
	SessionEnd
	// Todo is a todo that was created, changed or finished.
	Todo
)

// Inbox tells whether k is about an inbox: what every stream of the contract shows, and what is kept for
// clients that come back.
func (k Kind) Inbox() bool { return k == Message || k == Read }

// Event tells one user's stream that something changed.
type Event struct {
	Kind Kind
	// User is the user whose stream gets the event; empty in AnyTodo.
	User string
	// ID is the id of the inbox record for Message, the sender's id of the message for Read, the hash of
	// the session's id for SessionEnd, the todo's id for Todo, or empty when several of the user's changed.
	ID string
	// Time is when it happened; streams show it in milliseconds.
	Time time.Time
}

// AnyTodo says that events of the kind Todo may be missing, of any user: whoever shows todos looks again.
func AnyTodo(now time.Time) Frame { return Frame{Events: []Event{{Kind: Todo, Time: now}}} }

// AnyTodo tells whether the frame is one.
func (f *Frame) AnyTodo() bool {
	return slices.ContainsFunc(f.Events, func(e Event) bool { return e.Kind == Todo && e.User == "" })
}

// Position is the place of a row in the sender's event log. Rows are ordered by transaction, then by
// sequence.
type Position struct {
	// Transaction is the database transaction that wrote the row.
	Transaction uint64
	// Sequence is the row's own number.
	Sequence int64
}

// IsZero tells whether there is no position: the sender keeps no log.
func (p Position) IsZero() bool { return p == Position{} }

// Compare orders positions like cmp.Compare.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Transaction, q.Transaction), cmp.Compare(p.Sequence, q.Sequence))
}

// Frame is one publication: events of one change, in order.
type Frame struct {
	// Position is the row that the frame announces, or zero. A frame may be heard more than once;
	// Position and Part tell that it is the same.
	Position Position
	// Part counts the frames of one row from 0, since a push to many users takes several.
	Part int
	// Watermark, in a frame without events, is the low watermark: no row will be committed below it any
	// more. Whoever hears nothing for a while asks for the rows after the last watermark that it heard.
	Watermark Position
	// Events is empty in a frame with a watermark.
	Events []Event
}

// Publisher announces frames. It is safe for concurrent use.
type Publisher interface {
	// Publish hands over a frame after the change was committed. It never fails and never waits for
	// a subscriber's network; what an implementation does when it cannot keep up is its own to say.
	// ctx carries values only: the change stands, so its end stops nothing. The caller must not
	// change the events afterwards.
	Publish(ctx context.Context, f Frame)
}

// Handler is what a subscriber does. Neither function may block or cancel the subscription.
type Handler struct {
	// Frame gets every frame that is heard, one call at a time and in order per publisher. A long
	// frame may arrive as several with the same position and rising parts. The events must neither be kept
	// nor changed.
	Frame func(Frame)
	// Gap is called when frames may have been missed, after hearing has begun again, and once when
	// hearing begins; nil when nobody needs to know. A bus that loses nothing never calls it.
	Gap func()
}

// Subscriber hears what is published.
type Subscriber interface {
	// Subscribe calls h from now on until the returned cancel is called. When cancel returns, no
	// function of h is running and none will be called again.
	Subscribe(h Handler) (cancel func())
}
