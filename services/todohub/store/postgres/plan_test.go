package postgres_test

import (
	"fmt"
	"testing"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/postgres"
)

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
// items or with many, takes its page and its total from the index, with a sort of the page at most where that
// is deep, and else with none, and that a page looks at few blocks besides those of its items.
func TestDefaultListIsFlat(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"todo"}, fillSQL)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			name, user string
			number     int64
			// from is what finds the page, and blocks the most that it may look at.
			from   string
			blocks int
		}{
			{"first page of many", "ann", 0, "Index Scan", 25},
			{"fourth page of many", "ann", 3, "Index Scan", 85},
			{"fifth page of many", "ann", 4, "Index Only Scan", 85},
			{"deep page of many", "ann", 700, "Index Only Scan", 250},
			{"first page of few", "user-17", 0, "Index Scan", 15},
			{"first page of none", "nobody", 0, "Index Scan", 5},
		} {
			t.Run(planner+"/"+tt.name, func(t *testing.T) {
				p := latest(20)
				p.AssigneeUsername, p.Page.Number = tt.user, tt.number
				query, args := postgres.ListQuery(p)
				plan := pgtest.Explain(t, conn, query, args...)
				wantInOrder(t, plan, "Limit", tt.from)
				wantInOrder(t, plan, "Aggregate", "Index Only Scan")
				if n := len(plan.Find("Seq Scan", "Bitmap Heap Scan")); n > 0 {
					t.Errorf("%d scans of the table: %+v", n, plan)
				}
				for _, sort := range plan.Find("Sort", "Incremental Sort") {
					if tt.from == "Index Scan" || sort.Rows > 20 {
						t.Errorf("a sort of %v rows: %+v", sort.Rows, plan)
					}
				}
				total := plan.Find("Aggregate")[0]
				if n := plan.Hit + plan.Read - total.Hit - total.Read; n > tt.blocks {
					t.Errorf("the page looks at %d blocks, want at most %d: %+v", n, tt.blocks, plan)
				}
			})
		}
	}
}

// TestCountsComeFromTheIndex checks that counts come from the index alone, but for what is overdue, for which
// the user's own open items are looked at, and that nothing is counted that is not asked for.
func TestCountsComeFromTheIndex(t *testing.T) {
	dsn := pgtest.Database(t)
	open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"todo"}, fillSQL)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, user := range []string{"ann", "user-17", "nobody"} {
			t.Run(planner+"/"+user, func(t *testing.T) {
				p := todo.CountParams{AssigneeUsername: user, ToHandle: true, ToRead: true, Done: true, Read: true, Now: start}
				plan := pgtest.Explain(t, conn, postgres.CountTodos, postgres.CountArgs(p)...)
				wantScans(t, plan, 4)
				if runs(plan.Find("Index Scan", "Bitmap Heap Scan")) > 0 {
					t.Errorf("counts look at rows: %+v", plan)
				}
				p = todo.CountParams{AssigneeUsername: user, Overdue: true, Now: start}
				plan = pgtest.Explain(t, conn, postgres.CountTodos, postgres.CountArgs(p)...)
				wantScans(t, plan, 1)
				if n := plan.Hit + plan.Read; user == "user-17" && n > 20 {
					t.Errorf("what is overdue of 9 looks at %d blocks: %+v", n, plan)
				}
			})
		}
	}
}

// TestWalksAreFlat checks that a page of the default order of a named user comes from the index alone, in
// order and at any place, upwards and downwards, of one status and of any, and that nothing is counted.
func TestWalksAreFlat(t *testing.T) {
	dsn := pgtest.Database(t)
	s := open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"todo"}, fillSQL)
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			user   string
			status todo.Status
			// depth is the number of items in front of the page, and ranges that of the scans.
			depth  int64
			ranges int
		}{
			{"ann", todo.Open, 0, 1},
			{"ann", todo.Open, 10_000, 1},
			{"ann", 0, 0, 3},
			{"ann", 0, 10_000, 3},
			{"user-17", todo.Open, 0, 1},
			{"user-17", 0, 5, 3},
			{"nobody", 0, 0, 3},
		} {
			for _, descending := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s status %d behind %d descending %t", planner, tt.user, tt.status, tt.depth, descending), func(t *testing.T) {
					p := todo.WalkParams{ListParams: latest(21)}
					p.AssigneeUsername, p.Status, p.Sort.Descending = tt.user, tt.status, descending
					p.After = behind(t, s, p, tt.depth)
					query, args := postgres.WalkQuery(p)
					wantFlat(t, pgtest.Explain(t, conn, query, args...), tt.ranges)
				})
			}
		}
	}
}

// behind gives the place that has so many items in front of it.
func behind(t *testing.T, s *postgres.Store, p todo.WalkParams, depth int64) *cursor.Key {
	t.Helper()
	if depth == 0 {
		return nil
	}
	p.Page.Size = depth
	items, err := s.Walk(t.Context(), p)
	if err != nil || int64(len(items)) != depth {
		t.Fatalf("%d items, %v", len(items), err)
	}
	last := items[depth-1]
	return &cursor.Key{At: last.ModifyTime, ID: last.ID}
}

// wantFlat checks that the plan reads a page of 21 from so many ranges of todo_list, and sorts nothing.
func wantFlat(t *testing.T, plan pgtest.Plan, ranges int) {
	t.Helper()
	if n := len(plan.Find("Seq Scan", "Bitmap Heap Scan", "Sort", "Incremental Sort", "Aggregate")); n > 0 {
		t.Errorf("%d steps that read more than the page: %+v", n, plan)
	}
	scans := plan.Find("Index Scan", "Index Only Scan")
	for _, scan := range scans {
		if scan.Index != "todo_list" || scan.Rows > 21 {
			t.Errorf("a scan of %v rows of %s", scan.Rows, scan.Index)
		}
	}
	// A block for each item, and a few of the index for each range.
	if n := plan.Hit + plan.Read; len(scans) != ranges || n > 25+8*ranges {
		t.Errorf("%d scans look at %d blocks, want %d scans: %+v", len(scans), n, ranges, plan)
	}
}

// wantInOrder checks that the step of the type reads todo_list alone, by a scan of the type.
func wantInOrder(t *testing.T, plan pgtest.Plan, kind, scan string) {
	t.Helper()
	for _, step := range plan.Find(kind) {
		scans := step.Find("Index Scan", "Index Only Scan")
		if len(scans) == 1 && scans[0].Type == scan && scans[0].Index == "todo_list" && len(step.Find("Sort")) == 0 {
			return
		}
	}
	t.Errorf("no %s takes its rows in order from an %s of todo_list: %+v", kind, scan, plan)
}

// wantScans checks that so many ranges of todo_list are read, and nothing else.
func wantScans(t *testing.T, plan pgtest.Plan, ranges int) {
	t.Helper()
	if n := runs(plan.Find("Seq Scan")); n > 0 {
		t.Errorf("%d scans of the table: %+v", n, plan)
	}
	scans := plan.Find("Index Scan", "Index Only Scan", "Bitmap Index Scan")
	for _, scan := range scans {
		if scan.Index != "todo_list" {
			t.Errorf("a scan of %s", scan.Index)
		}
	}
	if n := runs(scans); n != ranges {
		t.Errorf("%d scans, want %d: %+v", n, ranges, plan)
	}
}

// runs is how many of the steps ran.
func runs(steps []pgtest.Plan) (n int) {
	for _, step := range steps {
		if step.Loops > 0 {
			n++
		}
	}
	return n
}
