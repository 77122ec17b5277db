package postgres_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/postgres"
)

// TestSearchOfUsersIsBounded checks that a page of 5,000 users comes from the index alone, wherever it begins:
// an entry of each user, status and type, a page of as many of them as a page has, and the rows of the page.
func TestSearchOfUsersIsBounded(t *testing.T) {
	dsn := pgtest.Database(t)
	s := open(t, dsn)
	conn := pgtest.Connect(t, dsn)
	pgtest.Fill(t, conn, []string{"todo"}, fillSQL)
	users := []string{"ann"}
	for n := range 4999 {
		users = append(users, fmt.Sprintf("user-%d", n))
	}
	slices.Sort(users)
	const size = 21
	for _, planner := range []string{"force_custom_plan", "force_generic_plan"} {
		if _, err := conn.Exec(t.Context(), `SET plan_cache_mode = `+planner); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			users    int
			statuses []todo.Status
			depth    int64
		}{
			{5000, []todo.Status{todo.Open}, 0},
			{5000, []todo.Status{todo.Open}, 10_000},
			{5000, []todo.Status{todo.Open, todo.Cleared, todo.Invalid}, 0},
			{1, []todo.Status{todo.Open}, 10_000},
		} {
			t.Run(fmt.Sprintf("%s/%d users in %d statuses behind %d", planner, tt.users, len(tt.statuses), tt.depth), func(t *testing.T) {
				p := todo.SearchParams{
					Usernames: users[:tt.users], Statuses: tt.statuses, Types: []todo.Type{todo.Handle, todo.Review}, Size: max(tt.depth, 1),
				}
				if tt.depth > 0 {
					items, err := s.Search(t.Context(), p)
					if err != nil || int64(len(items)) != tt.depth {
						t.Fatalf("%d items, %v", len(items), err)
					}
					last := items[len(items)-1]
					p.After = &cursor.Key{At: last.ModifyTime, ID: last.ID}
				}
				p.Size = size
				query, args := postgres.SearchQuery(p)
				plan := pgtest.Explain(t, conn, query, args...)
				wantBounded(t, plan, tt.users*len(tt.statuses)*len(p.Types), size)
			})
		}
	}
}

// wantBounded checks that the plan begins so many ranges of the list at most, and a page of them again, and
// reads no more than a page of each.
func wantBounded(t *testing.T, plan pgtest.Plan, ranges, size int) {
	t.Helper()
	if n := len(plan.Find("Seq Scan", "Bitmap Heap Scan", "Aggregate")); n > 0 {
		t.Errorf("%d steps that read more than the page: %+v", n, plan)
	}
	probes := 0.0
	for _, scan := range plan.Find("Index Scan", "Index Only Scan") {
		probes += scan.Loops
		if scan.Rows > float64(size) {
			t.Errorf("a scan of %v rows of %s", scan.Rows, scan.Index)
		}
	}
	// A probe goes down the levels of the index. What it finds there stands on few blocks.
	if n := plan.Hit + plan.Read; probes > float64(ranges+2*size) || n > 4*(ranges+2*size)+size*size {
		t.Errorf("%v scans look at %d blocks, want %d scans: %+v", probes, n, ranges+2*size, plan)
	}
	t.Logf("%v scans look at %d blocks", probes, plan.Hit+plan.Read)
}
