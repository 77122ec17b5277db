package inbox

import (
	"context"
	"strconv"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// walk answers the page at a cursor. One record more than a page tells whether the list goes on.
func (s *Service) walk(ctx context.Context, r ListRequest) (Page, error) {
	p, err := r.walkParams(s.rules)
	if err != nil {
		return Page{}, err
	}
	page := Page{Size: p.Page.Size}
	p.Page.Size++
	now := field.Micro(s.now())
	result, err := s.store.Walk(ctx, p)
	if err != nil {
		return Page{}, err
	}
	page.Records = result.Records
	if p.Username != "" {
		result.Watermark.At = now
		page.Watermark = result.Watermark.token(p.Username)
	}
	if int64(len(page.Records)) > page.Size {
		page.Records = page.Records[:page.Size]
		page.Next = p.tokens().Token(p.Sort.key(&page.Records[page.Size-1]))
	}
	return page, nil
}

// tokens are the cursors of this list.
func (p *ListParams) tokens() cursor.List {
	return cursor.List{
		"inbox", p.Sort.Field.String(), strconv.FormatBool(p.Sort.Descending),
		p.Username, p.Status.String(), p.SourceAppID, p.SourceMessageID,
	}
}

// key is the place of a record in a list of this order.
func (s Sort) key(r *Record) cursor.Key {
	k := cursor.Key{ID: r.ID}
	switch s.Field {
	case SortOccurredAt:
		k.At = r.OccurredAt
	case SortCreateTime:
		k.At = r.CreateTime
	}
	return k
}
