package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/postgres"
)

// planners are the two ways in which PostgreSQL plans a prepared statement.
func planners(t *testing.T, conn *pgx.Conn, run func(t *testing.T)) {
	t.Helper()
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		t.Run(planner, run)
	}
}

// undone explains a statement that changes something, and undoes it.
func undone(t *testing.T, conn *pgx.Conn, query string, args ...any) pgtest.Plan {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "BEGIN"); err != nil {
		t.Fatal(err)
	}
	plan := pgtest.Explain(t, conn, query, args...)
	if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestReconcileReadsItsRange checks that a reconcile reads its range of the primary key, and each id of the
// list once, however long the list is.
func TestReconcileReadsItsRange(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"todo"}, `INSERT INTO todo (
		create_time, modify_time, type, status, id, source_system, source_biz_id, assignee_username,
		initiator_username, title, summary, category, action_url, creator_id, modifier_id
	)
	SELECT now(), now() - interval '1 hour', 1, 1, 'todo-' || to_char(n, 'FM00000'), 'erp', n, 'user-' || n % 5000,
		'', repeat('title ', 5), repeat('summary ', 20), 'approval', '/todo', 'erp', 'erp'
	FROM generate_series(1, 60000) AS n`)
	planners(t, conn, func(t *testing.T) {
		for _, tt := range []struct {
			name     string
			from, to int
			listed   int
			// blocks is the most that it may look at.
			blocks int
		}{
			{"a few of many", 100, 200, 50, 2000},
			{"a list of 20,000", 20_000, 50_000, 20_000, 110_000},
			{"no list", 0, 60_000, 0, 10_000},
		} {
			t.Run(tt.name, func(t *testing.T) {
				id := func(n int) string { return fmt.Sprintf("todo-%05d", n) }
				ids, versions := make([]string, tt.listed), make([]*int64, tt.listed)
				for n := range ids {
					ids[n] = id(tt.from + 1 + n)
				}
				plan := undone(t, conn, postgres.ReconcileTodos, ids, versions, "erp", todo.Open, id(tt.from), id(tt.to),
					time.Now(), "", 100, todo.Cleared, time.Now(), true, "gone", false)
				if n := plan.Hit + plan.Read; n > tt.blocks {
					t.Errorf("it looks at %d blocks: %+v", n, plan)
				}
			})
		}
	})
}

// TestBatchGoesByKeys checks that a batch looks for each of its items by its key, and locks them in order.
func TestBatchGoesByKeys(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"todo"}, fillSQL)
	planners(t, conn, func(t *testing.T) {
		for name, from := range map[string]int{"new": 100_000, "there": 1} {
			t.Run(name, func(t *testing.T) {
				all := make([]todo.UpsertParams, field.MaxBatch)
				for n := range all {
					all[n] = report(n)
					all[n].ID = fmt.Sprintf("todo-%d", from+n)
				}
				plan := undone(t, conn, postgres.UpsertTodos, postgres.ManyArgs(all, false)...)
				if n := len(plan.Find("Seq Scan")); n > 0 {
					t.Errorf("it reads a table as a whole: %+v", plan)
				}
				for _, sort := range plan.Find("Sort") {
					if sort.Rows != field.MaxBatch {
						t.Errorf("a sort of %v rows", sort.Rows)
					}
				}
				// For each item some blocks of its row and of both indexes.
				if n := plan.Hit + plan.Read; n > 30*field.MaxBatch {
					t.Errorf("it looks at %d blocks: %+v", n, plan)
				}
			})
		}
	})
}
