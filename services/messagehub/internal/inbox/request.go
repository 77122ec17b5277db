package inbox

import (
	"fmt"
	"slices"
	"time"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// PushRequest is what a client sends to reach its users.
type PushRequest struct {
	SourceMessageID string
	// TargetUsernames may repeat a name, which counts once.
	TargetUsernames []string
	// TargetUserIDs are the targets' usernames where there are no TargetUsernames; faults call them ids.
	TargetUserIDs []string
	Message
	// OccurredAt is nil for now.
	OccurredAt *time.Time
}

// params checks the fields in the order of the contract's table and fills in the defaults.
func (r *PushRequest) params(rules Rules, st Stamp) (PushParams, error) {
	c := field.Checks{Schemes: rules.URLSchemes}
	c.ID("source_message_id", r.SourceMessageID)
	r.checkTargets(&c, rules.MaxTargets)
	r.check(&c)
	c.Instant("occurred_at", r.OccurredAt)
	if err := c.Err(); err != nil {
		return PushParams{}, err
	}
	p := PushParams{
		Stamp: st, SourceMessageID: r.SourceMessageID, Targets: r.targets(), Message: r.Message, OccurredAt: st.Now,
	}
	if r.OccurredAt != nil {
		p.OccurredAt = field.Micro(*r.OccurredAt)
	}
	return p, nil
}

func (r *PushRequest) checkTargets(c *field.Checks, limit int) {
	name, usernames := "target_usernames", r.usernames()
	switch {
	case len(usernames) == 0:
		c.Fail(name, "must not be empty")
	case len(r.TargetUsernames) == 0:
		name = "target_user_ids"
	}
	c.Entries(name, len(usernames), limit)
	for i, username := range usernames {
		if c.Err() != nil {
			return
		}
		// The name of the entry is only made when it is needed; there may be 10,000 of them.
		var entry field.Checks
		entry.Username(name, username, field.Required)
		if entry.Err() != nil {
			c.Username(fmt.Sprintf("%s[%d]", name, i), username, field.Required)
		}
	}
}

// usernames gives the targets as they came.
func (r *PushRequest) usernames() []string {
	if len(r.TargetUsernames) == 0 {
		return r.TargetUserIDs
	}
	return r.TargetUsernames
}

// targets gives the target usernames sorted byte by byte, each once.
func (r *PushRequest) targets() []string {
	sorted := slices.Clone(r.usernames())
	sortNames(sorted, make([]string, len(sorted)), 0)
	return slices.Compact(sorted)
}

// MarkReadRequest names what was read, and by whom.
type MarkReadRequest struct {
	// SourceMessageID is the sender's id of the message, not the id of an inbox record.
	SourceMessageID string
	Username        string
}

func (r *MarkReadRequest) params(st Stamp) (MarkReadParams, error) {
	var c field.Checks
	c.ID("source_message_id", r.SourceMessageID)
	c.Username("username", r.Username, field.Required)
	return MarkReadParams{Stamp: st, SourceMessageID: r.SourceMessageID, Username: r.Username}, c.Err()
}

// MarkAllReadRequest names what was read, and by whom; every filter that is set must match.
type MarkAllReadRequest struct {
	Username string
	// UpTo is the Watermark of a Page of this user.
	UpTo string
	// SourceAppID is a filter; empty means any.
	SourceAppID string
	// Category is a filter; empty means any.
	Category string
}

func (r *MarkAllReadRequest) params(st Stamp) (MarkAllReadParams, error) {
	p := MarkAllReadParams{
		Stamp: st, Username: r.Username, SourceAppID: r.SourceAppID, Category: r.Category,
		Rows: readBatch, Done: AllRead{Below: inFront},
	}
	var c field.Checks
	c.Username("username", r.Username, field.Required)
	if r.UpTo == "" {
		c.Fail("up_to", "must not be empty")
	}
	var known bool
	if p.UpTo, known = parseWatermark(r.Username, r.UpTo); !known {
		c.Fail("up_to", "must be the watermark of a page of this user's inbox")
	}
	// Client ids have the length and the characters of usernames.
	c.Username("source_app_id", r.SourceAppID, field.Optional)
	c.Text("category", r.Category, field.MaxCategory, field.Optional)
	return p, c.Err()
}

// ListRequest selects a page of records; every filter that is set must match. The zero value is the first
// page of everybody's records in the default order.
type ListRequest struct {
	// Username is a filter; nil means all users, empty is refused.
	Username *string
	// Status is a filter; 0 means any.
	Status Status
	// SourceAppID is a filter; empty means any.
	SourceAppID string
	// SourceMessageID is a filter; empty means any.
	SourceMessageID string
	// Page counts from 0; nil means 0.
	Page *int64
	// Size is the number of records per page; nil means field.DefaultPageSize.
	Size *int64
	// Sort is nil for DefaultSort.
	Sort *Sort
	// Cursor, when not nil, asks for the page at a place of the list: the start, when it is empty, or
	// Page.Next of an answer with the same filters and sort. There must be no Page then, and the Sort
	// is one of CursorSortFields.
	Cursor *string
}

func (r *ListRequest) params(rules Rules) (ListParams, error) {
	p := ListParams{
		Status: r.Status, SourceAppID: r.SourceAppID, SourceMessageID: r.SourceMessageID, Sort: DefaultSort,
	}
	var c field.Checks
	if r.Username != nil {
		p.Username = *r.Username
		c.Username("username", p.Username, field.Required)
	}
	if p.Status != 0 && !p.Status.known() {
		c.Fail("status", "must be %s or %s", Unread, Read)
	}
	// Client ids have the length and the characters of usernames.
	c.Username("source_app_id", p.SourceAppID, field.Optional)
	if p.SourceMessageID != "" {
		c.ID("source_message_id", p.SourceMessageID)
	}
	if r.Cursor != nil && r.Page != nil {
		c.Fail("page", "must not stand beside a cursor")
	}
	p.Page = c.Page(r.Page, r.Size, rules.MaxPageSize)
	if r.Sort != nil {
		p.Sort = *r.Sort
	}
	allowed := SortFields()
	if r.Cursor != nil {
		allowed = CursorSortFields()
	}
	if !slices.Contains(allowed, p.Sort.Field) {
		c.Fail("sort", "must be one of %s, with an optional ,asc or ,desc", names(allowed))
	}
	return p, c.Err()
}

// walkParams are the params of a request with a Cursor.
func (r *ListRequest) walkParams(rules Rules) (WalkParams, error) {
	p, err := r.params(rules)
	if err != nil || *r.Cursor == "" {
		return WalkParams{ListParams: p}, err
	}
	after, err := placeOf(p.tokens(), *r.Cursor)
	return WalkParams{ListParams: p, After: after}, err
}

// placeOf reads a cursor.
func placeOf(l cursor.List, token string) (*Place, error) {
	key, err := l.Key(token)
	if err != nil {
		return nil, err
	}
	body, ordinal, ok := ParseRecordID(key.ID)
	if !ok {
		return nil, cursor.ErrInvalid
	}
	return &Place{At: key.At, Body: body, Ordinal: ordinal}, nil
}

// CountUnreadRequest names the user.
type CountUnreadRequest struct {
	Username string
}

func (r *CountUnreadRequest) params() (CountUnreadParams, error) {
	var c field.Checks
	c.Username("username", r.Username, field.Required)
	return CountUnreadParams{Username: r.Username}, c.Err()
}

// MaxCounted is the largest number of users of one CountUnreadBatchRequest.
const MaxCounted = 500

// CountUnreadBatchRequest names the users.
type CountUnreadBatchRequest struct {
	Usernames []string
}

func (r *CountUnreadBatchRequest) params() (CountUnreadBatchParams, error) {
	const name = "usernames"
	var c field.Checks
	if len(r.Usernames) == 0 {
		c.Fail(name, "must not be empty")
	}
	c.Entries(name, len(r.Usernames), MaxCounted)
	for i, username := range r.Usernames[:min(len(r.Usernames), MaxCounted)] {
		c.Username(fmt.Sprintf("%s[%d]", name, i), username, field.Required)
	}
	return CountUnreadBatchParams{Usernames: r.Usernames}, c.Err()
}

// NewestIDRequest names the user.
type NewestIDRequest struct {
	Username string
}

func (r *NewestIDRequest) params() (NewestIDParams, error) {
	var c field.Checks
	c.Username("username", r.Username, field.Required)
	return NewestIDParams{Username: r.Username}, c.Err()
}
