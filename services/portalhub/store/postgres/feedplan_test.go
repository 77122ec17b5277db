package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/portalhub/internal/content"
	"example.com/hub/services/portalhub/internal/storetest"
	"example.com/hub/services/portalhub/store/postgres"
)

const (
	fillChannels = `INSERT INTO channel (create_time, modify_time, sort, type, enabled, id, name, visible_for, creator_id, modifier_id)
	SELECT now(), now(), 0, 1, true, 'c' || n, 'n', '{}', 'x', 'x' FROM generate_series(0, 9) AS n
	ON CONFLICT DO NOTHING`
	// fillArticles stores articles up to a number, a second apart: of each 100 one is a draft and one pinned.
	fillArticles = `INSERT INTO article (create_time, modify_time, occurred_at, published_at, pinned_at, version, policy, status, id, channel_id, title,
		summary, cover_image_url, creator_id, modifier_id, content_html, content_json)
	SELECT at, at, at, at, CASE WHEN n %% 100 = 7 THEN at END, 1, 1, CASE n %% 100 WHEN 3 THEN 1 ELSE 2 END, 'a' || lpad(n::text, 8, '0'), 'c' || n %% 10, 'Title ' || n,
		repeat('s', 200), '', 'x', 'x', repeat(md5(n::text), 64), ''
	FROM generate_series(0, %d) AS n, LATERAL (SELECT '2026-03-04 05:06:07Z'::timestamptz + n * interval '1 second') AS t (at)
	ON CONFLICT DO NOTHING`
)

// TestFeedPlansAreFlat checks that a page of a feed, and of a list of administrators, reads a page of each channel or
// status, however many articles there are, and none of their bodies.
func TestFeedPlansAreFlat(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"channel", "article"}, fillChannels, fmt.Sprintf(fillArticles, 99_999))
	channels := []string{"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"}
	deep := content.Place{At: time.Date(2026, 3, 4, 20, 0, 0, 0, time.UTC), ID: "a"}
	feed := func(p content.FeedParams) (string, []any) { p.Size = 21; return postgres.FeedWalk(p) }
	list := func(p content.WalkParams) (string, []any) { p.Size = 21; return postgres.ArticleWalk(p) }
	statement := func(query string, args []any) func() (string, []any) {
		return func() (string, []any) { return query, args }
	}
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for name, query := range map[string]func() (string, []any){
			"the first page":           statement(feed(content.FeedParams{ChannelIDs: channels})),
			"behind some pinned":       statement(feed(content.FeedParams{ChannelIDs: channels, After: content.Place{Pinned: true, At: deep.At, ID: "a"}})),
			"a deep page":              statement(feed(content.FeedParams{ChannelIDs: channels, After: deep})),
			"one channel":              statement(feed(content.FeedParams{ChannelIDs: channels[:1], After: deep})),
			"administrators":           statement(list(content.WalkParams{})),
			"administrators, deep":     statement(list(content.WalkParams{After: deep})),
			"administrators, a status": statement(list(content.WalkParams{Status: content.Draft, After: deep})),
			"administrators, both":     statement(list(content.WalkParams{Status: content.Draft, ChannelID: "c3", After: deep})),
			"administrators, nobody":   statement(list(content.WalkParams{Status: content.Offline, ChannelID: "c3"})),
		} {
			t.Run(planner+"/"+name, func(t *testing.T) { flat(t, conn, query) })
		}
	}
}

// flat wants a statement that uses an index and reads no more than a page of each of 10 channels.
func flat(t *testing.T, conn *pgx.Conn, statement func() (string, []any)) {
	t.Helper()
	query, args := statement()
	plan := pgtest.Explain(t, conn, query, args...)
	if n := plan.Hit + plan.Read; n > 500 {
		t.Errorf("it looks at %d blocks: %+v", n, plan)
	}
	if len(plan.Find("Seq Scan")) > 0 || len(plan.Find("Index Scan", "Index Only Scan")) == 0 {
		t.Errorf("it uses no index: %+v", plan)
	}
	for _, scan := range plan.Find("Index Scan", "Index Only Scan") {
		if scan.Rows > 21 {
			t.Errorf("a scan of %v rows for one channel: %+v", scan.Rows, plan)
		}
	}
}

// BenchmarkFeed measures a page among few and among many articles.
func BenchmarkFeed(b *testing.B) {
	dsn := pgtest.Database(b)
	s := open(b, dsn)
	conn := pgtest.Connect(b, dsn)
	storetest.BenchmarkFeed(b, s, func(b *testing.B, articles int) {
		pgtest.Fill(b, conn, []string{"article"}, fmt.Sprintf(fillArticles, articles-1))
	})
}
