package inbox

import (
	"context"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/field"
)

// Store keeps the messages and the inbox records. Its methods are safe for concurrent use, and what they
// answered is durable.
//
// Strings are compared and ordered byte by byte. A store that is away or too slow answers with a fault of
// kind Unavailable; the call may then have had its effect, and may be repeated.
type Store interface {
	// Push stores one Unread record for each target that has none yet of this app and message id.
	// All records of the call are stored, or none is. Of calls at the same time for the same app,
	// message id and user exactly one stores the record. Stored records never change their content.
	// A call for which every target has a record changes nothing.
	Push(ctx context.Context, p PushParams) (PushResult, error)

	// MarkRead switches the user's Unread records of the message id, of whatever app, to Read in one
	// step, and answers how many it switched. Of calls at the same time exactly one switches a
	// record. That none matches is no error.
	MarkRead(ctx context.Context, p MarkReadParams) (MarkReadResult, error)

	// List answers one page of the records that match, and how many match, both of one moment. The
	// record's id breaks ties in the direction of the sort, and records without a value come last in
	// both directions. A page past the end is empty.
	List(ctx context.Context, p ListParams) (ListResult, error)

	// MarkAllRead looks at the next p.Rows of the user's Unread records, the newest first and behind those
	// that were looked at before, and switches those that match and are below the watermark to Read. Of calls
	// at the same time exactly one switches a record. It adds to p.Done what it did. The event log has one
	// row for all that is done; the row of p.Done goes.
	MarkAllRead(ctx context.Context, p MarkAllReadParams) (AllRead, error)

	// Walk answers the first records that match behind a place of the list, at most a page of them and
	// all of one moment, in the order of List. It counts nothing, and in the default order of a named
	// user it takes about the same time at every place. For a named user it answers a watermark of that
	// moment or earlier.
	Walk(ctx context.Context, p WalkParams) (WalkResult, error)

	// Search answers the first records that match behind a place of the list, at most p.Size of them and all of
	// one moment, in DefaultSort. Of named users and any app it looks at their number of index entries and at
	// p.Size^2 more, for each status, however many records there are. It counts nothing.
	Search(ctx context.Context, p SearchParams) ([]Record, error)

	// CountUnread answers how many records of the user are Unread; 0 for a user without records.
	CountUnread(ctx context.Context, p CountUnreadParams) (int64, error)

	// CountUnreadBatch is CountUnread of each user, all of one moment, in the order of the users.
	CountUnreadBatch(ctx context.Context, p CountUnreadBatchParams) ([]int64, error)

	// NewestID answers the id of the user's newest record, which is the first one of a list in the
	// default order; "" for a user without records.
	NewestID(ctx context.Context, p NewestIDParams) (string, error)

	// Ping fails while the store cannot answer.
	Ping(ctx context.Context) error
}

// Stamp says who changes records, and when.
type Stamp struct {
	// ClientID becomes the creator of what is pushed, and the modifier of what is read.
	ClientID string
	// Now is in microseconds. It becomes the create time or the read time, and the modify time unless that
	// is later: clocks step back, and the modify time of a record does not.
	Now time.Time
}

// PushParams is a valid push. The client is the source app.
type PushParams struct {
	Stamp
	SourceMessageID string
	// Targets are sorted byte by byte and without repetition, so that pushes lock users in one order.
	Targets []string
	Message
	OccurredAt time.Time
}

// FewTargets is the largest number of targets of a push that may share its transaction with others. Measured
// with 16 and 64 callers, pushes to one user then take 0.6 and 0.4 of the processor time of pushes that share
// nothing, and pushes to 16 users 0.6; with more, each would wait for more than a thousand records.
const FewTargets = 16

// MessageKey is what a push is known by. Two pushes with one key are never in one transaction.
type MessageKey struct{ SourceMessageID, ClientID string }

// Key gives the key of a push.
func (p *PushParams) Key() MessageKey { return MessageKey{p.SourceMessageID, p.ClientID} }

// PushResult says what became of the targets.
type PushResult struct {
	// Created are the stored records, in the order of the targets.
	Created []Created
	// Duplicates is the number of targets that had a record already.
	Duplicates int
	// Position is the row of the event log that tells of the created records. It is zero when none
	// was created, in a store without a log, and when the store had to repeat the push and cannot
	// tell which run stored what; the rows of those runs are in the log then.
	Position bus.Position
}

// Created is a record that a push stored.
type Created struct {
	Username string
	// ID is the record's id.
	ID string
}

// MarkReadParams is a valid mark read.
type MarkReadParams struct {
	Stamp
	SourceMessageID string
	Username        string
}

// ReadKey is what a mark-read looks for. Two mark-reads with one key are never in one transaction.
type ReadKey struct{ SourceMessageID, Username string }

// Key gives the key of a mark-read.
func (p *MarkReadParams) Key() ReadKey { return ReadKey{p.SourceMessageID, p.Username} }

// MarkReadResult says what a mark read did.
type MarkReadResult struct {
	// Switched is how many records were Unread before.
	Switched int
	// Position is like PushResult.Position.
	Position bus.Position
}

// MarkAllReadParams is a valid batch of a read-all; every filter that is set must match.
type MarkAllReadParams struct {
	Stamp
	Username string
	UpTo     Watermark
	// SourceAppID is a filter; empty means any.
	SourceAppID string
	// Category is a filter; empty means any.
	Category string
	// Rows is the size of a batch, from 1.
	Rows int
	// Done is what the batches before this one did.
	Done AllRead
}

// AllRead says how far a read-all has come.
type AllRead struct {
	// Switched is how many records were Unread before.
	Switched int64
	// Newest is the message id of the newest switched record. It is empty when none was switched, and when
	// a store that keeps a log cannot tell, whose log tells then.
	Newest string
	// Position is like PushResult.Position.
	Position bus.Position
	// Below is the place of the last record that was looked at, in the default order.
	Below Place
	// End says that there is no record below.
	End bool
}

// ListParams selects records; every filter that is set must match.
type ListParams struct {
	// Username is a filter; empty means all users.
	Username string
	// Status is a filter; 0 means any.
	Status Status
	// SourceAppID is a filter; empty means any.
	SourceAppID string
	// SourceMessageID is a filter; empty means any.
	SourceMessageID string
	Page            field.Page
	Sort            Sort
}

// WalkParams selects the records behind a place of a list.
type WalkParams struct {
	// ListParams are those of the list. The sort is one of CursorSortFields, and of the Page only the size
	// counts.
	ListParams
	// After is the place, which is no record's any more perhaps; nil is the start of the list.
	After *Place
}

// SearchParams selects records of many users; every filter that is set must match.
type SearchParams struct {
	// Usernames are those of the users, each once; nil means all users.
	Usernames []string
	// SourceAppID is a filter; empty means any.
	SourceAppID string
	// Statuses are a filter, without repetition.
	Statuses []Status
	// Size is the largest number of records, from 1.
	Size int64
	// After is a place of the list, which is no record's any more perhaps; nil is the start.
	After *Place
}

// Place is where a record stands in its list.
type Place struct {
	// At is the record's value of a sort by time; zero where the id is all that counts.
	At time.Time
	// Body and Ordinal are those of the record's id, which begins with the body.
	Body, Ordinal int64
}

// WalkResult is a page of records.
type WalkResult struct {
	Records []Record
	// Watermark is zero where all users' records are walked.
	Watermark Watermark
}

// ListResult is a page of records.
type ListResult struct {
	Records []Record
	// Total is the exact number of records that match.
	Total int64
}

// CountUnreadParams names the user.
type CountUnreadParams struct {
	Username string
}

// CountUnreadBatchParams names the users.
type CountUnreadBatchParams struct {
	Usernames []string
}

// NewestIDParams names the user.
type NewestIDParams struct {
	Username string
}
