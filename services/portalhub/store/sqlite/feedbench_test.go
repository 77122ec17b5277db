package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"example.com/hub/services/portalhub/internal/storetest"
	"example.com/hub/services/portalhub/store/sqlite"
)

// fillArticles stores articles up to a number, a second apart: of each 100 one is a draft and one pinned.
const fillArticles = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d),
	times AS (SELECT n, 1772600767000000 + n * 1000000 AS at FROM numbers)
INSERT INTO article (id, channel_id, title, summary, cover_image_url, occurred_at, version, status, pinned_at, published_at, policy,
	create_time, modify_time, creator_id, modifier_id, content_html, content_json)
SELECT printf('a%%08d', n), 'c' || (n %% 10), 'Title ' || n, 'Summary', '', at, 1, CASE n %% 100 WHEN 3 THEN 1 ELSE 2 END, CASE WHEN n %% 100 = 7 THEN at END, at, 1,
	at, at, 'x', 'x', printf('%%2000d', n), ''
FROM times
WHERE true
ON CONFLICT DO NOTHING`

// BenchmarkFeed measures a page among few and among many articles.
func BenchmarkFeed(b *testing.B) {
	path := filepath.Join(b.TempDir(), "portalhub.db")
	s, err := sqlite.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	storetest.BenchmarkFeed(b, s, func(b *testing.B, articles int) {
		if _, err := db.ExecContext(b.Context(), fmt.Sprintf(fillArticles, articles-1)); err != nil {
			b.Fatal(err)
		}
	})
}
