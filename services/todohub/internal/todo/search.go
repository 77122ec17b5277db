package todo

import (
	"context"
	"fmt"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// SearchRequest selects a page of the items of many users, in DefaultSort. The zero value is the first page
// of everybody's OPEN items.
type SearchRequest struct {
	// Users is a filter; nil means all users.
	Users *field.Users
	// SourceSystem is a filter; empty means any.
	SourceSystem string
	// Status is a filter; 0 means Open.
	Status Status
	// AnyStatus leaves the filter Status out. It is for a request without a Status.
	AnyStatus bool
	// Type is a filter; 0 means any.
	Type Type
	// Size is the number of items per page; nil means field.DefaultPageSize.
	Size *int64
	// Cursor is empty for the start of the list, or Page.Next of an answer with the same filters.
	Cursor string
	// Full asks for the items' payloads, too.
	Full bool
}

// Search answers a page of the items of many users. One item more than a page tells whether the list goes on.
// Faults: Invalid; Unavailable when it took longer than the rules allow.
func (s *Service) Search(ctx context.Context, r SearchRequest) (Page, error) {
	p, err := r.params(s.rules)
	if err != nil {
		return Page{}, err
	}
	page := Page{Size: p.Size}
	if p.Usernames != nil && len(p.Usernames) == 0 {
		return page, nil
	}
	p.Size++
	page.Items, err = timed(ctx, s.rules, func(ctx context.Context) ([]Item, error) { return s.store.Search(ctx, p) })
	if err != nil {
		return Page{}, err
	}
	if int64(len(page.Items)) > page.Size {
		page.Items = page.Items[:page.Size]
		page.Next = r.tokens(&p).Token(DefaultSort.key(&page.Items[page.Size-1]))
	}
	return page, nil
}

// params checks the fields in the order of the request and fills in the defaults.
func (r *SearchRequest) params(rules Rules) (SearchParams, error) {
	p := SearchParams{SourceSystem: r.SourceSystem, Statuses: []Status{r.Status}, Types: []Type{r.Type}, Full: r.Full}
	var c field.Checks
	if r.Users != nil {
		p.Usernames = c.Users(r.Users)
	}
	// Client ids have the length and the characters of usernames.
	c.Username("source_system", r.SourceSystem, field.Optional)
	switch {
	case r.AnyStatus && r.Status != 0:
		c.Fail("any_status", "must stand without a status")
	case r.AnyStatus:
		p.Statuses = []Status{Open, Cleared, Invalid}
	case r.Status == 0:
		p.Statuses = []Status{Open}
	case !r.Status.known():
		c.Fail("status", "must be %s, %s or %s", Open, Cleared, Invalid)
	}
	if r.Type == 0 {
		p.Types = []Type{Handle, Review}
	} else {
		checkType(&c, r.Type)
	}
	p.Size = c.Page(nil, r.Size, rules.MaxPageSize).Size
	if c.Err() != nil || r.Cursor == "" {
		return p, c.Err()
	}
	after, err := r.tokens(&p).Key(r.Cursor)
	if err != nil {
		return SearchParams{}, err
	}
	if c.ID("id", after.ID); c.Err() != nil {
		return SearchParams{}, cursor.ErrInvalid
	}
	p.After = &after
	return p, nil
}

// tokens are the cursors of this list.
func (r *SearchRequest) tokens(p *SearchParams) cursor.List {
	chosenBy := ""
	if r.Users != nil {
		chosenBy = r.Users.ChosenBy
	}
	return cursor.List{"todos of many", chosenBy, p.SourceSystem, fmt.Sprint(p.Statuses), fmt.Sprint(p.Types)}
}
