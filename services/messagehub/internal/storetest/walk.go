package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/services/messagehub/internal/inbox"
)

var walkTests = []test{
	{"orders and filters like a model", testWalkModel},
	{"begins behind any place", testWalkPlaces},
	{"brings each record once while others are stored and read", testWalkWhileChanging},
}

// walkSorts are all orders in which a list can be walked.
func walkSorts() (all []inbox.Sort) {
	for _, f := range inbox.CursorSortFields() {
		all = append(all, inbox.Sort{Field: f}, inbox.Sort{Field: f, Descending: true})
	}
	return all
}

// walk reads a list from its start to its end, in pages of one size.
func walk(t tester, s inbox.Store, p inbox.WalkParams) (records []inbox.Record) {
	t.Helper()
	for {
		result, err := s.Walk(t.Context(), p)
		page := result.Records
		if err != nil || int64(len(page)) > p.Page.Size {
			t.Fatalf("walk %+v: %d records, %v", p, len(page), err)
		}
		records = append(records, page...)
		if int64(len(page)) < p.Page.Size {
			return records
		}
		p.After = placeOf(t, p.Sort, page[len(page)-1])
	}
}

// placeOf is the place of a record in a list.
func placeOf(t tester, s inbox.Sort, r inbox.Record) *inbox.Place {
	t.Helper()
	body, ordinal, ok := inbox.ParseRecordID(r.ID)
	if !ok {
		t.Fatalf("the id %q is of no record", r.ID)
	}
	place := inbox.Place{Body: body, Ordinal: ordinal}
	switch s.Field {
	case inbox.SortOccurredAt:
		place.At = r.OccurredAt
	case inbox.SortCreateTime:
		place.At = r.CreateTime
	}
	return &place
}

func testWalkModel(t *testing.T, s inbox.Store) {
	records := fill(t, s)
	for _, sort := range walkSorts() {
		for _, filter := range filters() {
			for _, size := range []int64{7, 1000} {
				p := inbox.WalkParams{ListParams: filter}
				p.Sort, p.Page = sort, page(0, size)
				equal(t, fmt.Sprintf("ids of %+v", p), ids(walk(t, s, p)), ids(matching(records, p.ListParams)))
			}
		}
	}
	p := inbox.WalkParams{ListParams: inbox.ListParams{Username: "ann", Sort: inbox.DefaultSort, Page: page(0, 3)}}
	equal(t, "records", walk(t, s, p), matching(records, p.ListParams))
}

// testWalkPlaces begins behind places that are no record's.
func testWalkPlaces(t *testing.T, s inbox.Store) {
	for i, minutes := range []int{0, 10, 20} {
		p := message("erp", fmt.Sprint("m", i), "ann", "bob")
		p.OccurredAt = at(minutes)
		push(t, s, p)
	}
	records := list(t, s, inbox.ListParams{Username: "ann"}).Records
	middle := placeOf(t, inbox.DefaultSort, records[1])
	early, late := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	for _, tt := range []struct {
		name       string
		after      inbox.Place
		descending bool
		want       int
	}{
		{"between two", inbox.Place{At: at(15), Body: 7}, true, 2},
		{"between two, upwards", inbox.Place{At: at(15), Body: 7}, false, 1},
		{"a tie in front", inbox.Place{At: at(10), Body: middle.Body + 1}, true, 2},
		{"a tie behind", inbox.Place{At: at(10), Body: middle.Body - 1}, true, 1},
		{"behind all", inbox.Place{At: late, Body: math.MaxInt64}, false, 0},
		{"behind all, downwards", inbox.Place{At: early}, true, 0},
		{"in front of all", inbox.Place{At: late, Body: math.MaxInt64, Ordinal: math.MaxInt32}, true, 3},
	} {
		for _, status := range []inbox.Status{0, inbox.Unread} {
			p := inbox.WalkParams{ListParams: inbox.ListParams{Username: "ann", Status: status, Page: page(0, 20)}, After: &tt.after}
			p.Sort = inbox.Sort{Field: inbox.SortOccurredAt, Descending: tt.descending}
			equal(t, tt.name, len(walk(t, s, p)), tt.want)
		}
	}
	all := inbox.WalkParams{ListParams: inbox.ListParams{Sort: inbox.Sort{Field: inbox.SortID}, Page: page(0, 20)}}
	all.After = &inbox.Place{Body: middle.Body, Ordinal: middle.Ordinal}
	equal(t, "records of all behind one of three pairs", len(walk(t, s, all)), 3)
	all.After = &inbox.Place{Body: math.MaxInt64, Ordinal: math.MaxInt32}
	equal(t, "records behind the last id", len(walk(t, s, all)), 0)
}

// testWalkWhileChanging walks in every order while messages are pushed, with any time of occurrence, and
// read. Whatever matches all the time comes exactly once, and nothing comes twice.
func testWalkWhileChanging(t *testing.T, s inbox.Store) {
	const kept = 20
	for i := range kept {
		p := message("erp", fmt.Sprint("kept", i), "ann", "bob")
		p.OccurredAt, p.Now = at(i*7%11), at(i%5)
		push(t, s, p)
	}
	for round, p := range []inbox.ListParams{{Username: "ann"}, {}, {Username: "bob", Status: inbox.Unread}} {
		for _, p.Sort = range walkSorts() {
			var writers errgroup.Group
			for w := range 2 {
				rng := rand.New(rand.NewPCG(5, uint64(w)))
				writers.Go(func() error {
					for n := range 10 {
						m := message("erp", fmt.Sprint("new", round, p.Sort, w, n), "ann", "bob")
						m.OccurredAt, m.Now = at(rng.IntN(12)), at(10+n)
						if _, err := s.Push(t.Context(), m); err != nil {
							return err
						}
						// What ann reads changes its range while the list of any status is walked.
						if _, err := s.MarkRead(t.Context(), inbox.MarkReadParams{
							Stamp: stamp("portal", 50), SourceMessageID: fmt.Sprint("kept", rng.IntN(kept)), Username: "ann",
						}); err != nil {
							return err
						}
					}
					return nil
				})
			}
			p.Page = page(0, 3)
			seen := map[string]int{}
			for _, r := range walk(t, s, inbox.WalkParams{ListParams: p}) {
				seen[r.SourceMessageID+" "+r.Username]++
			}
			if err := writers.Wait(); err != nil {
				t.Fatal(err)
			}
			for i := range kept {
				for _, user := range []string{"ann", "bob"} {
					key := fmt.Sprintf("kept%d %s", i, user)
					if n := seen[key]; n != 1 && (p.Username == "" || p.Username == user) {
						t.Errorf("%+v: the record %s came %d times", p, key, n)
					}
				}
			}
			for key, n := range seen {
				if n > 1 {
					t.Errorf("%+v: the record %s came %d times", p, key, n)
				}
			}
		}
	}
}
