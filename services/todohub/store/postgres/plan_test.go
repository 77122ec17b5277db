package postgres_test

import (
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.com/hub/services/todohub/store/postgres"
)

// node is a step of a plan, as EXPLAIN (FORMAT JSON) gives it.
type node struct {
	Type  string  `json:"Node Type"`
	Index string  `json:"Index Name"`
	Rows  float64 `json:"Actual Rows"`
	Plans []node  `json:"Plans"`
}

// find gives the steps of the type at and below n.
func (n node) find(kind string) []node {
	var found []node
	if n.Type == kind {
		found = append(found, n)
	}
	for _, below := range n.Plans {
		found = append(found, below.find(kind)...)
	}
	return found
}

// explain runs a statement and gives its plan.
func explain(t *testing.T, conn *pgx.Conn, query string, args []any) node {
	t.Helper()
	var text []byte
	if err := conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+query, args...).Scan(&text); err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal(text, &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan
}

// fillSQL stores 60,000 items: 20,000 of ann and 8 of each of 5,000 others.
const fillSQL = `INSERT INTO todo (
		create_time, modify_time, type, status, id, source_system, source_biz_id, assignee_username,
		initiator_username, title, summary, category, action_url, creator_id, modifier_id
	)
	SELECT now(), now() - n * 7919 % 60000 * interval '1 second', 1, 1 + (n % 4) / 3, 'todo-' || n, 'erp', n,
		CASE WHEN n % 3 = 0 THEN 'ann' ELSE 'user-' || n % 5000 END,
		'', repeat('title ', 5), repeat('summary ', 20), 'approval', '/todo', 'erp', 'erp'
	FROM generate_series(1, 60000) AS n`

// TestDefaultListIsFlat checks that the default list of a named user, first page or deep, with few
// items or with many, takes its page and its total from the index, without a sort of more than the page.
func TestDefaultListIsFlat(t *testing.T) {
	dsn := database(t)
	open(t, dsn)
	conn := connect(t, dsn)
	// VACUUM counts a row as visible to all once its commit is on disk.
	for _, statement := range []string{`SET synchronous_commit = on`, fillSQL, `VACUUM ANALYZE todo`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, user   string
			number, rows int64
		}{
			{"first page of many", "ann", 0, 20},
			{"deep page of many", "ann", 700, 20},
			{"first page of few", "user-7", 0, 6},
			{"first page of none", "nobody", 0, 0},
		} {
			t.Run(planner+"/"+tt.name, func(t *testing.T) {
				p := latest(20)
				p.AssigneeUsername, p.Page.Number = &tt.user, tt.number
				query, args := postgres.ListQuery(p)
				plan := explain(t, conn, query, args)
				wantIndexOnly(t, plan, "Limit")
				wantIndexOnly(t, plan, "Aggregate")
				if n := len(plan.find("Seq Scan")) + len(plan.find("Bitmap Heap Scan")); n > 0 {
					t.Errorf("%d scans of the table: %+v", n, plan)
				}
				for _, sort := range plan.find("Sort") {
					if int64(sort.Rows) > max(tt.rows, 1) {
						t.Errorf("a sort of %v rows", sort.Rows)
					}
				}
			})
		}
	}
}

// wantIndexOnly checks that the step of the type reads todo_list alone.
func wantIndexOnly(t *testing.T, plan node, kind string) {
	t.Helper()
	for _, step := range plan.find(kind) {
		scans := step.find("Index Only Scan")
		if len(scans) == 1 && scans[0].Index == "todo_list" && len(step.find("Sort")) == 0 {
			return
		}
	}
	t.Errorf("no %s takes its rows in order from todo_list: %+v", kind, plan)
}
