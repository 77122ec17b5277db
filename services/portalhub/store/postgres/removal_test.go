package postgres_test

import (
	"testing"
	"time"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/portalhub/store/postgres"
)

// TestRetentionPlansAreFlat checks that a batch reads as many rows as it has users and their sessions,
// however many there are.
func TestRetentionPlansAreFlat(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"session"}, fillSQL)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, query string
			args        []any
			rows        float64
		}{
			{"users", postgres.SelectSessionUsers, []any{"user-1", 50}, 1},
			{"sessions", postgres.DeleteOldSessions, []any{[]string{"user-1", "user-2"}, time.Now().Add(-24 * time.Hour), 20}, 20},
		} {
			t.Run(planner+"/"+tt.name, func(t *testing.T) {
				plan := pgtest.Explain(t, conn, tt.query, tt.args...)
				if len(plan.Find("Seq Scan")) > 0 {
					t.Errorf("the plan reads the table as a whole: %+v", plan)
				}
				for _, scan := range plan.Find("Index Scan", "Index Only Scan") {
					if scan.Rows > tt.rows {
						t.Errorf("a scan of %v rows, want at most %v: %+v", scan.Rows, tt.rows, plan)
					}
				}
			})
		}
	}
}

// fillSQL stores 20,000 sessions of 2,000 users, an hour from one to the next of each.
const fillSQL = `INSERT INTO session (begun, renewed, hash, username, claims)
	SELECT now() - n / 2000 * interval '1 hour', now() - n / 2000 * interval '1 hour', 'hash-' || n, 'user-' || n % 2000, '{}'
	FROM generate_series(1, 20000) AS n`
