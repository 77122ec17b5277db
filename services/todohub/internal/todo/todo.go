// Package todo is the todo area's domain: what business systems report for a user to handle or read,
// its life from OPEN to CLEARED or INVALID, and who may change it.
package todo

import (
	"time"

	"example.com/hub/pkg/field"
)

// Type says what the assignee has to do with an item. The numbers are stored, and those of the proto;
// 0 is none.
type Type int32

const (
	// Handle means that the assignee must act.
	Handle Type = iota + 1
	// Review means that the assignee must only read.
	Review
)

// String is the contract's word.
func (t Type) String() string {
	switch t {
	case Handle:
		return "HANDLE"
	case Review:
		return "REVIEW"
	default:
		return "unknown"
	}
}

func (t Type) known() bool { return t == Handle || t == Review }

// Status is where an item is in its life. Cleared and Invalid are final. The numbers are stored, and
// those of the proto; 0 is none.
type Status int32

const (
	// Open waits for the assignee.
	Open Status = iota + 1
	// Cleared is handled, or read.
	Cleared
	// Invalid is withdrawn or void.
	Invalid
)

// String is the contract's word.
func (s Status) String() string {
	switch s {
	case Open:
		return "OPEN"
	case Cleared:
		return "CLEARED"
	case Invalid:
		return "INVALID"
	default:
		return "unknown"
	}
}

func (s Status) known() bool { return s >= Open && s <= Invalid }

// Item is one stored todo. Strings that were never set are empty, times that were never set are nil;
// times are UTC, in microseconds.
type Item struct {
	// Report is the latest one; its id is that of the first upsert.
	Report
	// SourceSystem is the client that last upserted the item.
	SourceSystem string
	// FormerAssignee had the item before the last upsert, where that gave it to another user. It is empty in
	// items of lists without payloads.
	FormerAssignee string

	Status Status
	// Result, ClearedAt and ClearedBy are written by clear.
	Result    string
	ClearedAt *time.Time
	ClearedBy string
	// Reason is written by clear and invalidate.
	Reason string

	CreateTime time.Time
	// ModifyTime is when the item was last upserted, cleared or invalidated.
	ModifyTime time.Time
	// CreatorID is the client of the first upsert; it never changes.
	CreatorID string
	// ModifierID is the client that last upserted, cleared or invalidated the item.
	ModifierID string
}

// Report is what a business system says about an item: the request table of upsert.
type Report struct {
	ID                string
	Type              Type
	SourceBizID       string
	AssigneeUsername  string
	InitiatorUsername string
	Title             string
	Summary           string
	Category          string
	ActionURL         string
	DueAt             *time.Time
	ActionAppID       string
	// Payload is JSON, byte by byte as it was sent. It is empty in lists that do not ask for it.
	Payload        string
	EventCenterRef string
	// SourceVersion orders the changes of the source, the larger one later; nil is none. In a stored item
	// it is the last one that a change had.
	SourceVersion *int64
}

// check goes through the fields in the order of the contract's table.
func (r *Report) check(c *field.Checks) {
	c.ID("todo_id", r.ID)
	checkType(c, r.Type)
	c.BusinessID("source_biz_id", r.SourceBizID)
	c.Username("assignee_username", r.AssigneeUsername, field.Required)
	c.Username("initiator_username", r.InitiatorUsername, field.Optional)
	c.Text("title", r.Title, field.MaxTitle, field.Required)
	c.Text("summary", r.Summary, field.MaxSummary, field.Optional)
	c.Text("category", r.Category, field.MaxCategory, field.Required)
	c.URL("action_url", r.ActionURL, field.Required)
	c.Instant("due_at", r.DueAt)
	if r.ActionAppID != "" {
		c.ID("action_app_id", r.ActionAppID)
	}
	c.JSON("payload", r.Payload, maxPayload, maxPayloadDepth)
	c.Text("event_center_ref", r.EventCenterRef, field.MaxID, field.Optional)
	checkVersion(c, r.SourceVersion)
}

// The largest payload in bytes, and in objects and arrays inside each other.
const (
	maxPayload      = 16 << 10
	maxPayloadDepth = 64
)

// maxVersion is the largest integer that every reader of JSON has exactly (RFC 8259 section 6).
const maxVersion = 1<<53 - 1

func checkVersion(c *field.Checks, version *int64) {
	if version != nil && (*version < 0 || *version > maxVersion) {
		c.Fail("source_version", "must be an integer from 0 to %d", maxVersion)
	}
}

func checkType(c *field.Checks, t Type) {
	switch {
	case t == 0:
		c.Fail("type", "must not be empty")
	case !t.known():
		c.Fail("type", "must be %s or %s", Handle, Review)
	}
}
