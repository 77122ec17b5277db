package postgres_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// TestSearchOfUsersIsBounded checks that a page of 5,000 users comes from the index in order, wherever it
// begins: an entry of each user and status, a page of as many of them as a page has, and the contents of the
// page.
func TestSearchOfUsersIsBounded(t *testing.T) {
	conn, s := filledStore(t)
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
			statuses []inbox.Status
			depth    int64
		}{
			{5000, []inbox.Status{inbox.Unread}, 0},
			{5000, []inbox.Status{inbox.Unread, inbox.Read}, 0},
			{5000, []inbox.Status{inbox.Unread, inbox.Read}, 10_000},
			{1, []inbox.Status{inbox.Unread}, 10_000},
		} {
			t.Run(fmt.Sprintf("%s/%d users in %d statuses behind %d", planner, tt.users, len(tt.statuses), tt.depth), func(t *testing.T) {
				p := inbox.SearchParams{Usernames: users[:tt.users], Statuses: tt.statuses, Size: max(tt.depth, 1)}
				if tt.depth > 0 {
					records, err := s.Search(t.Context(), p)
					if err != nil || int64(len(records)) != tt.depth {
						t.Fatalf("%d records, %v", len(records), err)
					}
					p.After = placeBehind(t, records[tt.depth-1])
				}
				p.Size = size
				query, args := postgres.SearchQuery(p)
				plan := pgtest.Explain(t, conn, query, args...)
				wantBounded(t, plan, tt.users*len(tt.statuses), size)
			})
		}
	}
}

func placeBehind(t *testing.T, r inbox.Record) *inbox.Place {
	t.Helper()
	body, ordinal, ok := inbox.ParseRecordID(r.ID)
	if !ok {
		t.Fatalf("the id %q", r.ID)
	}
	return &inbox.Place{At: r.OccurredAt, Body: body, Ordinal: ordinal}
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
	// A probe goes down the levels of the index, and looks at the record that it finds. The page has a body and
	// a message each, besides.
	if n := plan.Hit + plan.Read; probes > float64(ranges+3*size) || n > 5*(ranges+3*size)+2*size*size {
		t.Errorf("%v scans look at %d blocks, want %d scans: %+v", probes, n, ranges+3*size, plan)
	}
	t.Logf("%v scans look at %d blocks", probes, plan.Hit+plan.Read)
}
