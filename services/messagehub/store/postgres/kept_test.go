package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// TestWalksAreNotPlannedAgain looks at what the one connection keeps after some pages of a user, each of which
// is a batch with her watermark.
func TestWalksAreNotPlannedAgain(t *testing.T) {
	s := pgtest.Open(t, pg.Config{URL: pgtest.Database(t), MaxConns: 1, AcquireTimeout: 10 * time.Second}, postgres.Open)
	p := inbox.WalkParams{ListParams: inbox.ListParams{
		Username: "ann", Page: field.Page{Size: 5}, Sort: inbox.DefaultSort,
	}}
	const pages = 3
	for range pages {
		if _, err := s.Walk(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	const kept = `-- name: select_kept
SELECT count(*), COALESCE(min(generic_plans + custom_plans), 0)
FROM pg_prepared_statements
WHERE statement LIKE '-- name: walk_records%' OR statement LIKE '-- name: select_watermark%'`
	var statements, runs int64
	err := s.Call(t.Context(), func(conn pg.Session, _ bool) error {
		rows, err := conn.Query(t.Context(), kept)
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, []any{&statements, &runs}, func() error { return nil })
		return err
	})
	if err != nil || statements != 2 || runs != pages {
		t.Errorf("%d statements are kept and ran %d times, want 2 and %d: %v", statements, runs, pages, err)
	}
}
