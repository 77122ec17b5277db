package postgres_test

import (
	"testing"
	"time"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/store/postgres"
)

// TestRetentionPlansAreFlat checks that a batch reads as many rows as it has users and removes records,
// however many there are.
func TestRetentionPlansAreFlat(t *testing.T) {
	conn := filled(t)
	pgtest.Fill(t, conn, []string{"inbox"}, `UPDATE inbox SET read_at = occurred_at WHERE status = 2`)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-8 * time.Hour)
		for _, tt := range []struct {
			name, query string
			args        []any
			rows        float64
		}{
			{"users", postgres.SelectUsers, []any{"user-1", 50}, 1},
			{"records", postgres.DeleteRead, []any{[]string{"ann", "user-1", "user-2"}, old, 20}, 20},
			{"bodies", postgres.DeleteBodies, []any{[]int64{7, 9}}, 3},
			{"locks", postgres.LockUnused, []any{[]int64{7, 9}}, 3},
			{"messages", postgres.DeleteMessages, []any{[]int64{7, 9}}, 3},
		} {
			t.Run(planner+"/"+tt.name, func(t *testing.T) {
				plan := pgtest.Explain(t, conn, tt.query, tt.args...)
				if len(plan.Find("Seq Scan")) > 0 {
					t.Errorf("the plan reads a table as a whole: %+v", plan)
				}
				for _, scan := range plan.Find("Index Scan", "Index Only Scan", "Bitmap Index Scan") {
					if scan.Rows > tt.rows {
						t.Errorf("a scan of %v rows, want at most %v: %+v", scan.Rows, tt.rows, plan)
					}
				}
			})
		}
	}
}

// fillMillion stores 1,000,000 records of 10,000 users, which are 10,000 messages to 100 users each.
// Half of the records are read.
var fillMillion = []string{
	`INSERT INTO message (source_message_id, source_app_id) SELECT 'message-' || n, 'erp' FROM generate_series(1, 10000) AS n`,
	`INSERT INTO body (message_id, occurred_at, create_time, creator, title, category, actions, content)
	SELECT id, now() - id * interval '1 minute', now() - id * interval '1 minute', 'erp', 'title', 'notice', '[]', repeat('content ', 50)
	FROM message`,
	`INSERT INTO inbox (message_id, body_id, ordinal, status, occurred_at, read_at, username, modifier)
	SELECT message_id, id, n, 1 + n % 2, occurred_at, CASE n % 2 WHEN 1 THEN occurred_at END, 'user-' || (id * 100 + n) % 10000, CASE n % 2 WHEN 1 THEN 'portal' END
	FROM body, generate_series(0, 99) AS n ORDER BY message_id, n`,
}

// BenchmarkRetention measures a pass through 1,000,000 records of 10,000 users that finds nothing, and
// the removal of the half that is read.
func BenchmarkRetention(b *testing.B) {
	b.Run("nothing", func(b *testing.B) {
		s := million(b)
		for b.Loop() {
			removeAll(b, s, time.Now().AddDate(-1, 0, 0), 0)
		}
	})
	b.Run("half", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := million(b)
			b.StartTimer()
			removeAll(b, s, time.Now(), 500_000)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500_000, "ns/record")
	})
}

func million(b *testing.B) *postgres.Store {
	b.Helper()
	dsn := pgtest.Database(b)
	s := open(b, dsn)
	pgtest.Fill(b, pgtest.Connect(b, dsn), []string{"message", "body", "inbox"}, fillMillion...)
	return s
}

// removeAll goes through all users without a pause.
func removeAll(b *testing.B, s *postgres.Store, before time.Time, want int) {
	b.Helper()
	batch := retention.Batch{Before: before, Users: 200, Rows: 500}
	for removed := 0; ; {
		r, err := s.RemoveOld(b.Context(), batch)
		if err != nil || r.Busy {
			b.Fatalf("busy %v, %v", r.Busy, err)
		}
		if removed += r.Removed; r.Done {
			if removed != want {
				b.Errorf("removed %d records, want %d", removed, want)
			}
			return
		}
		batch.After = r.Next
	}
}
