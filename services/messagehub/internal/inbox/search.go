package inbox

import (
	"context"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// SearchRequest selects a page of the records of many users, in DefaultSort. The zero value is the first page
// of everybody's records.
type SearchRequest struct {
	// Users is a filter; nil means all users.
	Users *field.Users
	// SourceAppID is a filter; empty means any.
	SourceAppID string
	// Status is a filter; 0 means any.
	Status Status
	// Size is the number of records per page; nil means field.DefaultPageSize.
	Size *int64
	// Cursor is empty for the start of the list, or Page.Next of an answer with the same filters.
	Cursor string
}

// Search answers a page of the records of many users. One record more than a page tells whether the list goes
// on. Faults: Invalid; Unavailable when it took longer than the rules allow.
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
	err = s.timed(ctx, func(ctx context.Context) error {
		page.Records, err = s.store.Search(ctx, p)
		return err
	})
	if err != nil {
		return Page{}, err
	}
	if int64(len(page.Records)) > page.Size {
		page.Records = page.Records[:page.Size]
		page.Next = r.tokens().Token(DefaultSort.key(&page.Records[page.Size-1]))
	}
	return page, nil
}

// params checks the fields in the order of the request and fills in the defaults.
func (r *SearchRequest) params(rules Rules) (SearchParams, error) {
	p := SearchParams{SourceAppID: r.SourceAppID, Statuses: []Status{r.Status}}
	var c field.Checks
	if r.Users != nil {
		p.Usernames = c.Users(r.Users)
	}
	// Client ids have the length and the characters of usernames.
	c.Username("source_app_id", r.SourceAppID, field.Optional)
	switch {
	case r.Status == 0:
		p.Statuses = []Status{Unread, Read}
	case !r.Status.known():
		c.Fail("status", "must be %s or %s", Unread, Read)
	}
	p.Size = c.Page(nil, r.Size, rules.MaxPageSize).Size
	if c.Err() != nil || r.Cursor == "" {
		return p, c.Err()
	}
	var err error
	p.After, err = placeOf(r.tokens(), r.Cursor)
	return p, err
}

// tokens are the cursors of this list.
func (r *SearchRequest) tokens() cursor.List {
	chosenBy := ""
	if r.Users != nil {
		chosenBy = r.Users.ChosenBy
	}
	return cursor.List{"inboxes of many", chosenBy, r.SourceAppID, r.Status.String()}
}
