package inbox

import (
	"context"
	"fmt"
	"slices"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// SearchRequest selects a page of the records of many users, in DefaultSort. The zero value is the first page
// of everybody's records.
type SearchRequest struct {
	// Users is a filter; nil means all users.
	Users *Users
	// SourceAppID is a filter; empty means any.
	SourceAppID string
	// Status is a filter; 0 means any.
	Status Status
	// Size is the number of records per page; nil means field.DefaultPageSize.
	Size *int64
	// Cursor is empty for the start of the list, or Page.Next of an answer with the same filters.
	Cursor string
}

// Users names users.
type Users struct {
	// Names may repeat themselves; with none, nothing matches.
	Names []string
	// ChosenBy says what they were chosen by. It stands for them in cursors, so that a list can be walked while
	// others come to be chosen.
	ChosenBy string
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
		p.Usernames = r.Users.check(&c)
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

// check gives the usernames sorted byte by byte and each once, and never nil.
func (u *Users) check(c *field.Checks) []string {
	const name = "usernames"
	c.Entries(name, len(u.Names), field.MaxSearched)
	for i, username := range u.Names[:min(len(u.Names), field.MaxSearched)] {
		c.Username(fmt.Sprintf("%s[%d]", name, i), username, field.Required)
	}
	c.Text("chosen_by", u.ChosenBy, maxChosenBy, field.Required)
	sorted := append([]string{}, u.Names...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// maxChosenBy is room for the longest ids of a user, a department and a role.
const maxChosenBy = 1024

// tokens are the cursors of this list.
func (r *SearchRequest) tokens() cursor.List {
	chosenBy := ""
	if r.Users != nil {
		chosenBy = r.Users.ChosenBy
	}
	return cursor.List{"inboxes of many", chosenBy, r.SourceAppID, r.Status.String()}
}
