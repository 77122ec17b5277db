package postgres_test

import (
	"testing"
	"time"

	"example.com/hub/pkg/retention"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/postgres"
)

// TestRetentionPlansAreFlat checks that a batch reads as many rows as it has users and removes items,
// however many there are.
func TestRetentionPlansAreFlat(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"todo"}, fillSQL)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, query string
			args        []any
			rows        float64
		}{
			{"users", postgres.SelectAssignees, []any{"user-1", 50}, 1},
			{"items", postgres.DeleteOld, []any{
				[]string{"ann", "user-1", "user-2"}, todo.Cleared, todo.Invalid, todo.Handle, todo.Review, time.Now().Add(-8 * time.Hour), 20,
			}, 20},
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

// fillMillion stores 1,000,000 items of 10,000 users, half of them cleared.
const fillMillion = `INSERT INTO todo (
		create_time, modify_time, type, status, id, source_system, source_biz_id, assignee_username,
		initiator_username, title, summary, category, action_url, creator_id, modifier_id
	)
	SELECT now(), now() - n * interval '1 second', 1, 1 + n % 2, 'todo-' || n, 'erp', n, 'user-' || n / 2 % 10000,
		'', repeat('title ', 5), repeat('summary ', 20), 'approval', '/todo', 'erp', 'erp'
	FROM generate_series(1, 1000000) AS n`

// BenchmarkRetention measures a pass through 1,000,000 items of 10,000 users that finds nothing, and the
// removal of the half that is cleared.
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
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500_000, "ns/item")
	})
}

func million(b *testing.B) *postgres.Store {
	b.Helper()
	dsn := pgtest.Database(b)
	s := open(b, dsn)
	pgtest.Fill(b, pgtest.Connect(b, dsn), []string{"todo"}, fillMillion)
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
				b.Errorf("removed %d items, want %d", removed, want)
			}
			return
		}
		batch.After = r.Next
	}
}
