// Package inbox is the message area's domain: business systems push messages to users, and every target
// user gets an inbox record, which is UNREAD until the user reads it.
package inbox

import (
	"fmt"
	"time"

	"example.com/hub/pkg/field"
)

// Status says whether the user has read a record. Read is final. The numbers are stored, and those of the
// proto; 0 is none.
type Status int32

const (
	// Unread waits for the user.
	Unread Status = iota + 1
	// Read is read.
	Read
)

// String is the contract's word.
func (s Status) String() string {
	switch s {
	case Unread:
		return "UNREAD"
	case Read:
		return "READ"
	default:
		return "unknown"
	}
}

func (s Status) known() bool { return s == Unread || s == Read }

// Record is one message in the inbox of one user. Its times are in UTC, in microseconds.
type Record struct {
	// ID is made by RecordID.
	ID string
	// Username is the recipient.
	Username string
	// SourceAppID is the client that pushed the message.
	SourceAppID string
	// SourceMessageID is the client's own id of the message.
	SourceMessageID string
	Message
	// OccurredAt is when the sender says that it happened.
	OccurredAt time.Time

	Status Status
	// ReadAt is nil while the record is Unread.
	ReadAt *time.Time

	CreateTime time.Time
	// ModifyTime is when the record was pushed or read.
	ModifyTime time.Time
	// CreatorID is the client that pushed the record; it never changes.
	CreatorID string
	// ModifierID is the client that changed the record last.
	ModifierID string
}

// Message is what a push says to all of its targets.
type Message struct {
	Title   string
	Content string
	// Category is a free value of the sender.
	Category string
	// Actions are in the order of the push; never nil in a Record.
	Actions []Action
}

// Action is a button or link that a portal shows with a message.
type Action struct {
	// Label is what the button says; it may be empty.
	Label string
	// URL is where it leads; it may be empty.
	URL string
}

// MaxActions is the largest number of actions of a message.
const MaxActions = field.MaxActions

// check goes through the fields in the order of the contract's table.
func (m *Message) check(c *field.Checks) {
	c.Text("title", m.Title, field.MaxTitle, field.Required)
	c.Bytes("content", m.Content, field.MaxContentBytes, field.Required)
	c.Text("category", m.Category, field.MaxCategory, field.Optional)
	c.Entries("actions", len(m.Actions), MaxActions)
	for i, a := range m.Actions[:min(len(m.Actions), MaxActions)] {
		c.Text(fmt.Sprintf("actions[%d].label", i), a.Label, field.MaxLabel, field.Optional)
		c.URL(fmt.Sprintf("actions[%d].url", i), a.URL, field.Optional)
	}
}
