package people

import (
	"context"
	"errors"
	"slices"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// maxSelected is how many people a filter of records may stand for.
const maxSelected = 5_000

// ListRequest selects people. Nil is no filter.
type ListRequest struct {
	DeptID, RoleID, Prefix *string
	// Cursor is empty for the start of the list, or Page.Next of an answer with the same filters.
	Cursor string
	// Size is the number of people per page; nil means field.DefaultPageSize.
	Size *int64
}

// Page is a part of a list.
type Page struct {
	People []Person
	// Size is the page size that was used.
	Size int64
	// Next is the cursor of the page behind this one; empty at the end.
	Next string
}

func (r *ListRequest) params(rules Rules) (WalkParams, error) {
	var c field.Checks
	p := WalkParams{Filter: filter(&c, r.DeptID, r.RoleID)}
	if r.Prefix != nil {
		p.Prefix = *r.Prefix
		c.Text("q", p.Prefix, MaxName, field.Optional)
	}
	p.Size = c.Page(nil, r.Size, rules.MaxPageSize).Size
	if r.Cursor == "" || c.Err() != nil {
		return p, c.Err()
	}
	after, err := p.tokens().Key(r.Cursor)
	if err != nil {
		return p, err
	}
	if c.Username("username", after.ID, field.Required); c.Err() != nil {
		return p, cursor.ErrInvalid
	}
	p.After = after.ID
	return p, nil
}

func filter(c *field.Checks, deptID, roleID *string) (f Filter) {
	if deptID != nil {
		f.DeptID = *deptID
		c.ID("dept_id", f.DeptID)
	}
	if roleID != nil {
		f.RoleID = *roleID
		c.ID("role_id", f.RoleID)
	}
	return f
}

// tokens are the cursors of this list.
func (p *WalkParams) tokens() cursor.List { return cursor.List{"people", p.DeptID, p.RoleID, p.Prefix} }

// errSlowList tells the end of a list's own time from the end of its caller's.
var errSlowList = errors.New("list timeout")

// List answers a page of people by username. Faults: Invalid; Unavailable when it took longer than the rules
// allow.
func (s *Service) List(ctx context.Context, r ListRequest) (Page, error) {
	p, err := r.params(s.rules)
	if err != nil {
		return Page{}, err
	}
	ctx, cancel := s.listTime(ctx)
	defer cancel()
	page := Page{Size: p.Size}
	p.Size++ // one more tells whether the list goes on
	if page.People, err = s.store.WalkPeople(ctx, p); err != nil {
		return Page{}, slow(ctx, err)
	}
	if int64(len(page.People)) > page.Size {
		page.People = page.People[:page.Size]
		page.Next = p.tokens().Token(cursor.Key{ID: page.People[page.Size-1].Username})
	}
	return page, nil
}

// Select gives the usernames of a department, with all below it, and of a role; nil is no filter. Faults:
// Invalid, also where they are more than a filter may stand for.
func (s *Service) Select(ctx context.Context, deptID, roleID *string) ([]string, error) {
	var c field.Checks
	f := filter(&c, deptID, roleID)
	if f == (Filter{}) {
		c.Fail("dept_id", "or role id must be given")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := s.listTime(ctx)
	defer cancel()
	names, err := s.store.SelectPeople(ctx, f, maxSelected+1)
	switch {
	case err != nil:
		return nil, slow(ctx, err)
	case len(names) > maxSelected:
		return nil, fault.Newf(fault.Invalid, "more than %d people match: narrow the filter", maxSelected)
	}
	slices.Sort(names)
	return names, nil
}

func (s *Service) listTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, s.rules.ListTimeout, errSlowList)
}

// slow says of an error whether the time of the list is over.
func slow(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSlowList) {
		return fault.Wrap(fault.Unavailable, "the list took too long", err)
	}
	return err
}
