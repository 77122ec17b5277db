package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"time"

	"example.com/hub/pkg/sqlitefile"
	"example.com/hub/services/portalhub/internal/content"
)

var _ content.ListStore = (*Store)(nil)

// WalkArticles reads a page in one statement, in the time of the context.
func (s *Store) WalkArticles(ctx context.Context, p content.WalkParams) ([]content.Article, error) {
	statuses := []content.Status{content.Draft, content.Published, content.Offline}
	if p.Status != 0 {
		statuses = []content.Status{p.Status}
	}
	list, err := json.Marshal(statuses)
	if err != nil {
		return nil, err
	}
	stmt, args := s.walkAll, []any{string(list), before(p.After.At), p.After.ID, p.Size}
	if p.ChannelID != "" {
		stmt, args = s.walkChannel, append(args, p.ChannelID)
	}
	articles, err := entryRows(ctx, stmt, args...)
	return articles, s.file.Failed(ctx, "walk articles", err)
}

// WalkFeed reads a page in one statement, in the time of the context.
func (s *Store) WalkFeed(ctx context.Context, p content.FeedParams) ([]content.Article, error) {
	channels, err := texts(p.ChannelIDs)
	if err != nil {
		return nil, err
	}
	pinned := p.After.Pinned || p.After == (content.Place{})
	articles, err := entryRows(ctx, s.walkFeed, channels, pinned, before(p.After.At), p.After.ID, p.Size)
	return articles, s.file.Failed(ctx, "walk feed", err)
}

// before is the time of a place, which is behind all others for the start of a list.
func before(t time.Time) int64 {
	if t.IsZero() {
		return math.MaxInt64
	}
	return micros(t)
}

// entryRows runs a statement that answers articles without their bodies.
func entryRows(ctx context.Context, stmt *sql.Stmt, args ...any) (articles []content.Article, err error) {
	var r articleRow
	err = sqlitefile.ForEachRow(ctx, stmt, args, r.fields(), func() error {
		articles = append(articles, r.article())
		return nil
	})
	return articles, err
}
