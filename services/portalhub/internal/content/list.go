package content

import (
	"context"
	"strconv"
	"strings"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// ListRequest selects articles for administrators.
type ListRequest struct {
	// ChannelID is nil for any, and Status is 0.
	ChannelID *string
	Status    Status
	// Cursor is empty for the start of the list, or Page.Next of an answer with the same filters.
	Cursor string
	// Size is the number of articles per page; nil means field.DefaultPageSize.
	Size *int64
}

// Page is a part of a list.
type Page struct {
	// Articles are without HTML and JSON.
	Articles []Article
	// Size is the page size that was used.
	Size int64
	// Next is the cursor of the page behind this one; empty at the end.
	Next string
}

// cut takes the article away that tells that the list goes on.
func (p *Page) cut(list cursor.List, place func(*Article) Place) {
	if int64(len(p.Articles)) > p.Size {
		p.Articles = p.Articles[:p.Size]
		p.Next = token(list, place(&p.Articles[p.Size-1]))
	}
}

// ListArticles answers a page of articles in any status, the last created first. Faults: Invalid; Unavailable when it
// took longer than the rules allow.
func (s *Service) ListArticles(ctx context.Context, r ListRequest) (Page, error) {
	var c field.Checks
	p := WalkParams{Status: r.Status}
	if r.ChannelID != nil {
		p.ChannelID = *r.ChannelID
		c.ID("channel_id", p.ChannelID)
	}
	if p.Status != 0 && !p.Status.known() {
		c.Fail("status", "must be draft, published or offline")
	}
	page := Page{Size: c.Page(nil, r.Size, s.rules.MaxPageSize).Size}
	if err := c.Err(); err != nil {
		return Page{}, err
	}
	list := cursor.List{"articles", p.ChannelID, strconv.Itoa(int(p.Status))}
	var err error
	if p.After, err = placeOf(list, r.Cursor); err != nil {
		return Page{}, err
	}
	ctx, cancel := s.listTime(ctx)
	defer cancel()
	p.Size = page.Size + 1
	if page.Articles, err = s.store.WalkArticles(ctx, p); err != nil {
		return Page{}, slow(ctx, err)
	}
	page.cut(list, func(a *Article) Place { return Place{At: a.CreateTime, ID: a.ID} })
	return page, nil
}

// The letters in front of the id in a cursor say whether its place is among the pinned ones.
const (
	pinnedMark = "p"
	plainMark  = "-"
)

func token(list cursor.List, p Place) string {
	mark := plainMark
	if p.Pinned {
		mark = pinnedMark
	}
	return list.Token(cursor.Key{At: p.At, ID: mark + p.ID})
}

// placeOf reads a token, which is empty for the start of a list.
func placeOf(list cursor.List, text string) (p Place, err error) {
	if text == "" {
		return p, nil
	}
	key, err := list.Key(text)
	if err != nil {
		return p, err
	}
	id, pinned := strings.CutPrefix(key.ID, pinnedMark)
	if !pinned {
		var ok bool
		if id, ok = strings.CutPrefix(key.ID, plainMark); !ok {
			return p, cursor.ErrInvalid
		}
	}
	var c field.Checks
	if c.ID("id", id); c.Err() != nil {
		return p, cursor.ErrInvalid
	}
	return Place{Pinned: pinned, At: key.At, ID: id}, nil
}
