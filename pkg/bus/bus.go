// Package bus carries events from the messagehub that stored a change to every edge replica.
//
// The bus is a hint and the database is the truth: an event may repeat and, on a bus between
// machines, may be missing until the sender announces it again.
package bus

import (
	"context"
	"time"
)

// Kind says what changed.
type Kind uint8

const (
	// Message is a new inbox record.
	Message Kind = iota + 1
	// Read is a record that was switched from UNREAD to READ.
	Read
)

// Event tells one user's stream that something changed.
type Event struct {
	Kind Kind
	// User is the user whose stream gets the event.
	User string
	// ID is the id of the inbox record for Message, the sender's id of the message for Read.
	ID string
	// Time is when it happened; streams show it in milliseconds.
	Time time.Time
}

// Publisher announces events. It is safe for concurrent use.
type Publisher interface {
	// Publish hands over events in order, after the change was committed. It never fails and never
	// waits for a subscriber's network; what an implementation does when it cannot keep up is its
	// own to say. ctx carries values only: the change stands, so its end stops nothing. The caller
	// must not change the slice afterwards.
	Publish(ctx context.Context, events []Event)
}

// Subscriber hears what is published.
type Subscriber interface {
	// Subscribe calls handle with every frame of events that is published from now on, one call at
	// a time and in order per publisher, until the returned cancel is called. A frame holds at least
	// one event and need not be the slice that was published. handle must not block, and must
	// neither keep nor change the slice. When cancel returns, handle is not running and will not be
	// called again; handle itself must not call it.
	Subscribe(handle func([]Event)) (cancel func())
}
