package content

import (
	"context"
	"strconv"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// FeedRequest selects articles for their readers.
type FeedRequest struct {
	// Type is 0 for any.
	Type Type
	// Cursor is empty for the start of the list, or FeedPage.Next of an answer with the same type.
	Cursor string
	// Size is the number of articles per page; nil means field.DefaultPageSize.
	Size *int64
}

// FeedPage is a part of a feed.
type FeedPage struct {
	Page
	// Channels are those of the articles, by their ids.
	Channels map[string]*Channel
}

// Feed answers a page of what is published in the channels that a user sees. Faults: Invalid; Unavailable when it took
// longer than the rules allow.
func (s *Service) Feed(ctx context.Context, username string, r FeedRequest) (FeedPage, error) {
	var c field.Checks
	if r.Type != 0 && !r.Type.known() {
		c.Fail("type", "must be news or notice")
	}
	page := FeedPage{Page: Page{Size: c.Page(nil, r.Size, s.rules.MaxPageSize).Size}}
	if err := c.Err(); err != nil {
		return FeedPage{}, err
	}
	list := cursor.List{"feed", strconv.Itoa(int(r.Type))}
	p := FeedParams{Size: page.Size + 1}
	var err error
	if p.After, err = placeOf(list, r.Cursor); err != nil {
		return FeedPage{}, err
	}
	ctx, cancel := s.listTime(ctx)
	defer cancel()
	if page.Channels, err = s.visible(ctx, username); err != nil {
		return FeedPage{}, slow(ctx, err)
	}
	for id, channel := range page.Channels {
		if r.Type == 0 || channel.Type == r.Type {
			p.ChannelIDs = append(p.ChannelIDs, id)
		}
	}
	if page.Articles, err = s.store.WalkFeed(ctx, p); err != nil {
		return FeedPage{}, slow(ctx, err)
	}
	page.cut(list, feedPlace)
	return page, nil
}

func feedPlace(a *Article) Place {
	if a.PinnedAt != nil {
		return Place{Pinned: true, At: *a.PinnedAt, ID: a.ID}
	}
	return Place{At: *a.OccurredAt, ID: a.ID}
}

// Read gives an article that is published in a channel that a user sees, and that channel. Faults: Invalid; NotFound
// where it is any other.
func (s *Service) Read(ctx context.Context, username, id string) (Article, *Channel, error) {
	if err := checkArticle(id); err != nil {
		return Article{}, nil, err
	}
	a, err := s.store.GetArticle(ctx, GetParams{ID: id})
	if err != nil {
		return Article{}, nil, err
	}
	channels, err := s.visible(ctx, username)
	if err != nil {
		return Article{}, nil, err
	}
	channel := channels[a.ChannelID]
	if a.Status != Published || channel == nil {
		return Article{}, nil, NotFound(id)
	}
	return current(a), channel, nil
}
