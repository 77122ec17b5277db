package todo

import (
	"slices"
	"strings"
	"time"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// UpsertRequest is what a client reports about an item.
type UpsertRequest struct{ Report }

// params checks the fields in the order of the contract's table and fills in the defaults.
func (r *UpsertRequest) params(rules Rules, st Stamp) (UpsertParams, error) {
	c := field.Checks{Schemes: rules.URLSchemes}
	r.check(&c)
	p := UpsertParams{Stamp: st, Report: r.Report}
	p.DueAt = field.MicroPtr(r.DueAt)
	if strings.TrimSpace(p.Payload) == "null" {
		p.Payload = ""
	}
	return p, c.Err()
}

// ClearRequest says how an item was handled or read.
type ClearRequest struct {
	ID     string
	Result string
	// ClearedAt is nil for now.
	ClearedAt *time.Time
	ClearedBy string
	Reason    string
	// SourceVersion is that of Report.
	SourceVersion *int64
}

func (r *ClearRequest) params(st Stamp) (ClearParams, error) {
	var c field.Checks
	c.ID("todo_id", r.ID)
	c.Text("result", r.Result, field.MaxResult, field.Required)
	c.Instant("cleared_at", r.ClearedAt)
	c.Username("cleared_by", r.ClearedBy, field.Optional)
	c.Text("reason", r.Reason, field.MaxReason, field.Optional)
	checkVersion(&c, r.SourceVersion)
	p := ClearParams{
		Stamp: st, ID: r.ID, Result: r.Result, ClearedAt: st.Now, ClearedBy: r.ClearedBy, Reason: r.Reason,
		SourceVersion: r.SourceVersion,
	}
	if r.ClearedAt != nil {
		p.ClearedAt = field.Micro(*r.ClearedAt)
	}
	return p, c.Err()
}

// InvalidateRequest withdraws an item.
type InvalidateRequest struct {
	ID     string
	Reason string
	// SourceVersion is that of Report.
	SourceVersion *int64
}

func (r *InvalidateRequest) params(st Stamp) (InvalidateParams, error) {
	var c field.Checks
	c.ID("todo_id", r.ID)
	c.Text("reason", r.Reason, field.MaxReason, field.Optional)
	checkVersion(&c, r.SourceVersion)
	return InvalidateParams{Stamp: st, ID: r.ID, Reason: r.Reason, SourceVersion: r.SourceVersion}, c.Err()
}

// ListRequest selects a page of items. The zero value is the first page of everybody's OPEN items of type
// HANDLE in the default order.
type ListRequest struct {
	// AssigneeUsername is a filter; nil means all users, empty is refused.
	AssigneeUsername *string
	// Status is a filter; 0 means Open.
	Status Status
	// AnyStatus leaves the filter Status out. It is for a list with a Cursor and without a Status.
	AnyStatus bool
	// Type is a filter; 0 means Handle.
	Type Type
	// Page counts from 0; nil means 0.
	Page *int64
	// Size is the number of items per page; nil means field.DefaultPageSize.
	Size *int64
	// Sort is nil for DefaultSort.
	Sort *Sort
	// Cursor, when not nil, asks for the page at a place of the list: the start, when it is empty, or
	// Page.Next of an answer with the same filters and sort. There must be no Page then, and the Sort
	// is one of CursorSortFields.
	Cursor *string
	// Full asks for the items' payloads, too.
	Full bool
}

func (r *ListRequest) params(rules Rules) (ListParams, error) {
	p := ListParams{Status: r.Status, Type: r.Type, Sort: DefaultSort, Full: r.Full}
	if p.Status == 0 && !r.AnyStatus {
		p.Status = Open
	}
	if p.Type == 0 {
		p.Type = Handle
	}
	var c field.Checks
	if r.AssigneeUsername != nil {
		p.AssigneeUsername = *r.AssigneeUsername
		c.Username("assignee_username", p.AssigneeUsername, field.Required)
	}
	switch {
	case !r.AnyStatus && !p.Status.known():
		c.Fail("status", "must be %s, %s or %s", Open, Cleared, Invalid)
	case r.AnyStatus && (r.Cursor == nil || p.Status != 0):
		c.Fail("any_status", "must stand beside a cursor and without a status")
	}
	checkType(&c, p.Type)
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
	after, err := p.tokens().Key(*r.Cursor)
	if err != nil {
		return WalkParams{}, err
	}
	var c field.Checks
	if c.ID("id", after.ID); c.Err() != nil {
		return WalkParams{}, cursor.ErrInvalid
	}
	return WalkParams{ListParams: p, After: &after}, nil
}
