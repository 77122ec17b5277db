package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/portalhub/internal/content"
)

var _ content.ListStore = (*Store)(nil)

// WalkArticles reads a page in one statement, in the time of the context.
func (s *Store) WalkArticles(ctx context.Context, p content.WalkParams) ([]content.Article, error) {
	query, args := articleWalk(p)
	found, _, err := entries.all(ctx, s, query, args...)
	return found, pg.Failed("walk articles", err)
}

// WalkFeed reads a page in one statement, in the time of the context.
func (s *Store) WalkFeed(ctx context.Context, p content.FeedParams) ([]content.Article, error) {
	query, args := feedWalk(p)
	found, _, err := entries.all(ctx, s, query, args...)
	return found, pg.Failed("walk feed", err)
}

// articleWalk is the statement of a list of administrators.
func articleWalk(p content.WalkParams) (query string, args []any) {
	statuses := []int16{int16(content.Draft), int16(content.Published), int16(content.Offline)}
	if p.Status != 0 {
		statuses = []int16{int16(p.Status)}
	}
	args = []any{statuses, before(p.After.At), p.After.ID, p.Size}
	if p.ChannelID == "" {
		return walkAll, args
	}
	return walkChannel, append(args, p.ChannelID)
}

// feedWalk is the statement of a feed.
func feedWalk(p content.FeedParams) (query string, args []any) {
	pinned := p.After.Pinned || p.After == (content.Place{})
	return walkFeed, []any{texts(p.ChannelIDs), pinned, before(p.After.At), p.After.ID, p.Size}
}

// before is the time of a place, which is infinity for the start of a list.
func before(t time.Time) pgtype.Timestamptz {
	if t.IsZero() {
		return pgtype.Timestamptz{InfinityModifier: pgtype.Infinity, Valid: true}
	}
	return pgtype.Timestamptz{Time: t, Valid: true}
}
