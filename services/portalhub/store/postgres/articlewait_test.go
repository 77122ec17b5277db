package postgres_test

import (
	"context"
	"testing"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/portalhub/internal/content"
)

// TestAnUpdateWaitsNoLongerThanACallMay has somebody else hold the article.
func TestAnUpdateWaitsNoLongerThanACallMay(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	stamp := content.Stamp{By: "user:carla", Now: time.Now()}
	if _, err := s.CreateChannel(t.Context(), content.CreateChannelParams{Stamp: stamp, ID: "c", Most: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateArticle(t.Context(), content.CreateArticleParams{Stamp: stamp, ID: "a", Text: content.Text{ChannelID: "c"}}); err != nil {
		t.Fatal(err)
	}
	conn := pgtest.Connect(t, dsn)
	if _, err := conn.Exec(t.Context(), "BEGIN; SELECT 1 FROM article FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, _, err := s.UpdateArticle(ctx, content.UpdateArticleParams{Stamp: stamp, ID: "a", Text: content.Text{ChannelID: "c"}})
	if err == nil || ctx.Err() != nil {
		t.Errorf("it ends with %v, its caller with %v", err, ctx.Err())
	}
	if err != nil && fault.KindOf(err) != fault.Unavailable {
		t.Errorf("it ends with %v", err)
	}
}
