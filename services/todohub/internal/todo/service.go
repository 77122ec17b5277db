package todo

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// Rules are the settings of the area.
type Rules struct {
	// SourceOwned lets only the client that created an item change it, and the Operators.
	SourceOwned bool
	// Operators are the clients that may change any item.
	Operators []string
	// MaxPageSize is the largest page of a list, from 1.
	MaxPageSize int64
	// URLSchemes, when not empty, are the only URL schemes allowed, in lower case.
	URLSchemes []string
	// ListTimeout ends a list that takes longer.
	ListTimeout time.Duration
}

// Deps are what a Service works with. All of them are needed.
type Deps struct {
	Store  Store
	Rules  Rules
	Clock  func() time.Time
	Logger *slog.Logger
}

// Service is the todo area. It is safe for concurrent use.
type Service struct {
	store Store
	rules Rules
	now   func() time.Time
	log   *slog.Logger
}

// New makes a Service.
func New(d Deps) *Service {
	return &Service{store: d.Store, rules: d.Rules, now: d.Clock, log: d.Logger}
}

// Upsert creates an OPEN item, or replaces the report of the item with the same id. The status never
// changes, so a late repeat of an upsert does not reopen a finished item. Faults: Invalid; Forbidden
// when the item belongs to another client.
func (s *Service) Upsert(ctx context.Context, clientID string, r Report) (Item, error) {
	c := s.checks()
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
	if err := c.Err(); err != nil {
		return Item{}, err
	}
	r.DueAt = field.MicroPtr(r.DueAt)
	item, err := s.store.Upsert(ctx, UpsertParams{Stamp: s.stamp(clientID), Report: r})
	if errors.Is(err, ErrForeign) {
		s.logForeign(ctx, clientID, r.ID)
	}
	return item, err
}

// List answers a page of items. Faults: Invalid; Unavailable when it took longer than the rules
// allow.
func (s *Service) List(ctx context.Context, q Query) (Page, error) {
	p, err := s.listParams(q)
	if err != nil {
		return Page{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.rules.ListTimeout, errSlowList)
	defer cancel()
	items, total, err := s.store.List(ctx, p)
	if err != nil {
		if errors.Is(context.Cause(ctx), errSlowList) {
			err = fault.Wrap(fault.Unavailable, "the list took too long", err)
		}
		return Page{}, err
	}
	return Page{Items: items, Number: p.Page.Number, Size: p.Page.Size, Total: total}, nil
}

// errSlowList tells the end of a list's own time from the end of its caller's.
var errSlowList = errors.New("list timeout")

func (s *Service) listParams(q Query) (ListParams, error) {
	p := ListParams{
		AssigneeUsername: q.AssigneeUsername,
		Status:           q.Status,
		Type:             q.Type,
		Sort:             Sort{Field: SortModifyTime, Descending: true},
	}
	if p.Status == 0 {
		p.Status = Open
	}
	if p.Type == 0 {
		p.Type = Handle
	}
	if q.Sort != nil {
		p.Sort = *q.Sort
	}
	c := s.checks()
	if q.AssigneeUsername != nil {
		c.Username("assignee_username", *q.AssigneeUsername, field.Required)
	}
	if !p.Status.known() {
		c.Fail("status", "must be OPEN, CLEARED or INVALID")
	}
	checkType(c, p.Type)
	p.Page = c.Page(q.Page, q.Size, s.rules.MaxPageSize)
	if !p.Sort.Field.known() {
		c.Fail("sort", "must be one of %s, with an optional ,asc or ,desc", sortFieldNames())
	}
	return p, c.Err()
}

func (s *Service) checks() *field.Checks { return &field.Checks{Schemes: s.rules.URLSchemes} }

func checkType(c *field.Checks, t Type) {
	switch {
	case t == 0:
		c.Fail("type", "must not be empty")
	case !t.known():
		c.Fail("type", "must be HANDLE or REVIEW")
	}
}

func (s *Service) stamp(clientID string) Stamp {
	st := Stamp{ClientID: clientID, Now: field.Micro(s.now())}
	if s.rules.SourceOwned && !slices.Contains(s.rules.Operators, clientID) {
		st.Owner = clientID
	}
	return st
}

// logForeign leaves a trace of a client that reached for another one's item.
func (s *Service) logForeign(ctx context.Context, clientID, id string) {
	s.log.WarnContext(ctx, "change of another client's todo refused", "client_id", clientID, "todo_id", quote(id))
}
