// Package todo is the todo area's domain: what business systems report for a user to handle or read,
// its life from OPEN to CLEARED or INVALID, and who may change it.
package todo

import (
	"fmt"
	"time"
)

// Type says what the assignee has to do with an item. The values are stored and never change.
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
		return fmt.Sprintf("Type(%d)", int32(t))
	}
}

func (t Type) known() bool { return t == Handle || t == Review }

// Status is where an item is in its life. Cleared and Invalid are final. The values are stored and
// never change.
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
		return fmt.Sprintf("Status(%d)", int32(s))
	}
}

func (s Status) known() bool { return s >= Open && s <= Invalid }

// Item is one stored todo. Strings that were never set are empty, times that were never set are nil;
// times are UTC, in microseconds.
type Item struct {
	// ID is the todo id of the first upsert.
	ID   string
	Type Type
	// SourceSystem is the client that last upserted the item.
	SourceSystem      string
	SourceBizID       string
	AssigneeUsername  string
	InitiatorUsername string
	Title             string
	Summary           string
	Category          string
	ActionURL         string
	DueAt             *time.Time

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
}

// Clearing says how an item was handled or read.
type Clearing struct {
	ID     string
	Result string
	// ClearedAt is nil for now.
	ClearedAt *time.Time
	ClearedBy string
	Reason    string
}

// Invalidation withdraws an item.
type Invalidation struct {
	ID     string
	Reason string
}
