// Package inbox is the message area: business systems push messages to users, and every target user
// gets an inbox record, which is unread until the user reads it.
package inbox

import "time"

// Status says whether the user has read a record.
type Status int8

// A record starts Unread; Read is final.
const (
	Unread Status = iota + 1
	Read
)

// String gives the contract's word.
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

// Action is a button or link that a portal shows with a message.
type Action struct {
	// Label is what the button says; it may be empty.
	Label string
	// URL is where it leads; it may be empty.
	URL string
}

// Record is one message in the inbox of one user. Its times are in UTC, cut to microseconds.
type Record struct {
	// ID is made by RecordID.
	ID string
	// Username is the recipient.
	Username string
	// SourceAppID is the client that pushed the message.
	SourceAppID string
	// SourceMessageID is the client's own id of the message.
	SourceMessageID string
	Title           string
	Content         string
	// Category is a free value of the sender.
	Category string
	// Actions are in the order of the push; never nil.
	Actions []Action
	Status  Status
	// OccurredAt is when the sender says that it happened.
	OccurredAt time.Time
	// ReadAt is nil while the record is Unread.
	ReadAt     *time.Time
	CreateTime time.Time
	ModifyTime time.Time
	// Creator is the client that pushed the record.
	Creator string
	// Modifier is the client that changed the record last.
	Modifier string
}

// SortField names a field that a list can be ordered by.
type SortField int8

// The contract promises a page that is flat in the size of the inbox for SortOccurredAt of one user only.
const (
	SortOccurredAt SortField = iota + 1
	SortCreateTime
	SortModifyTime
	SortReadAt
	SortCategory
	SortSourceAppID
	SortID
)

// sortFields are the contract's words, in the order of the constants.
var sortFields = [...]string{
	"occurredAt", "createTime", "modifyTime", "readAt", "category", "sourceAppId", "id",
}

// String gives the contract's word.
func (f SortField) String() string {
	if !f.known() {
		return "unknown"
	}
	return sortFields[f-1]
}

func (f SortField) known() bool { return f >= SortOccurredAt && f <= SortID }

// Sort orders a list.
type Sort struct {
	Field SortField
	// Descending puts the largest or latest first.
	Descending bool
}

// DefaultSort is the order of a list that names none (contract, Paging).
var DefaultSort = Sort{Field: SortOccurredAt, Descending: true}
