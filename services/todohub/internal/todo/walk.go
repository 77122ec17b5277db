package todo

import (
	"context"
	"strconv"

	"example.com/hub/pkg/cursor"
)

// walk answers the page at a cursor. One item more than a page tells whether the list goes on.
func (s *Service) walk(ctx context.Context, r ListRequest) (Page, error) {
	p, err := r.walkParams(s.rules)
	if err != nil {
		return Page{}, err
	}
	page := Page{Size: p.Page.Size}
	p.Page.Size++
	if page.Items, err = s.store.Walk(ctx, p); err != nil {
		return Page{}, err
	}
	if int64(len(page.Items)) > page.Size {
		page.Items = page.Items[:page.Size]
		page.Next = p.tokens().Token(p.Sort.key(&page.Items[page.Size-1]))
	}
	return page, nil
}

// tokens are the cursors of this list.
func (p *ListParams) tokens() cursor.List {
	return cursor.List{
		"todos", p.Sort.Field.String(), strconv.FormatBool(p.Sort.Descending),
		p.AssigneeUsername, p.Status.String(), p.Type.String(),
	}
}

// key is the place of an item in a list of this order.
func (s Sort) key(i *Item) cursor.Key {
	k := cursor.Key{ID: i.ID}
	switch s.Field {
	case SortModifyTime:
		k.At = i.ModifyTime
	case SortCreateTime:
		k.At = i.CreateTime
	}
	return k
}
