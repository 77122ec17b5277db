package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/cursor"
	"example.com/hub/services/todohub/internal/todo"
)

// walkSorts are all orders in which a list can be walked.
func walkSorts() (all []todo.Sort) {
	for _, f := range todo.CursorSortFields() {
		all = append(all, todo.Sort{Field: f}, todo.Sort{Field: f, Descending: true})
	}
	return all
}

// walk reads a list from its start to its end, in pages of one size.
func walk(t *testing.T, s todo.Store, p todo.WalkParams) (items []todo.Item) {
	t.Helper()
	for {
		page, err := s.Walk(t.Context(), p)
		if err != nil {
			t.Fatalf("walk %+v: %v", p, err)
		}
		if int64(len(page)) > p.Page.Size {
			t.Fatalf("walk %+v: %d items", p, len(page))
		}
		items = append(items, page...)
		if int64(len(page)) < p.Page.Size {
			return items
		}
		p.After = placeOf(p.Sort, page[len(page)-1])
	}
}

// placeOf is the place of an item in a list.
func placeOf(s todo.Sort, i todo.Item) *cursor.Key {
	switch s.Field {
	case todo.SortModifyTime:
		return &cursor.Key{At: i.ModifyTime, ID: i.ID}
	case todo.SortCreateTime:
		return &cursor.Key{At: i.CreateTime, ID: i.ID}
	default:
		return &cursor.Key{ID: i.ID}
	}
}

func walking(assignee string, status todo.Status, sort todo.Sort, size int64) todo.WalkParams {
	p := todo.WalkParams{ListParams: latest(assignee, size)}
	p.Status, p.Sort = status, sort
	return p
}

// testWalkOrders compares walks with the model, with ties in every time.
func testWalkOrders(t *testing.T, s todo.Store) {
	rng := rand.New(rand.NewPCG(3, 4))
	var all []todo.Item
	for i := range 90 {
		r := report(pick(rng, "a", "B", "\u00e9", "e\u0301", "~") + name("", i))
		r.AssigneeUsername = pick(rng, "ann", "ann", "bob")
		item := upsert(t, s, stamp("erp", rng.IntN(4)), r)
		switch i % 5 {
		case 0:
			item = clearItem(t, s, stamp("erp", rng.IntN(9)), r.ID)
		case 1:
			item = invalidateItem(t, s, stamp("erp", rng.IntN(9)), r.ID)
		}
		all = append(all, item)
	}
	upsert(t, s, stamp("erp", 1), func() todo.Report { r := report("review"); r.Type = todo.Review; return r }())
	for _, sort := range walkSorts() {
		for _, user := range []string{"ann", "", "nobody"} {
			for _, status := range []todo.Status{0, todo.Open, todo.Cleared} {
				want := slices.DeleteFunc(slices.Clone(all), func(i todo.Item) bool {
					return user != "" && i.AssigneeUsername != user || status != 0 && i.Status != status
				})
				slices.SortFunc(want, func(a, b todo.Item) int { return compare(sort, a, b) })
				for _, size := range []int64{1, 7, 100} {
					got := walk(t, s, walking(user, status, sort, size))
					if diff := gocmp.Diff(ids(want), ids(got)); diff != "" {
						t.Errorf("%v of %q in status %d in pages of %d (-want +got):\n%s", sort, user, status, size, diff)
					}
				}
			}
		}
	}
	first := walk(t, s, walking("ann", todo.Cleared, todo.DefaultSort, 100))[0]
	wantStored(t, s, first, first)
}

// testWalkPlaces begins behind places that are no item's: between two, in front of all, behind all.
func testWalkPlaces(t *testing.T, s todo.Store) {
	for i := range 4 {
		upsert(t, s, stamp("erp", 10*i), report(name("id", 10*i)))
	}
	early, late := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	between := start.Add(15 * time.Millisecond)
	tie := start.Add(20 * time.Millisecond)
	for _, tt := range []struct {
		name       string
		sort       todo.Sort
		after      cursor.Key
		descending string
	}{
		{"between two", todo.Sort{Field: todo.SortModifyTime, Descending: true}, cursor.Key{At: between, ID: "x"}, "id010 id000"},
		{"between two, upwards", todo.Sort{Field: todo.SortCreateTime}, cursor.Key{At: between, ID: "x"}, "id020 id030"},
		{"a tie in front", todo.Sort{Field: todo.SortModifyTime, Descending: true}, cursor.Key{At: tie, ID: "id021"}, "id020 id010 id000"},
		{"a tie behind", todo.Sort{Field: todo.SortModifyTime, Descending: true}, cursor.Key{At: tie, ID: "id019"}, "id010 id000"},
		{"in front of all", todo.Sort{Field: todo.SortModifyTime}, cursor.Key{At: early, ID: "id"}, "id000 id010 id020 id030"},
		{"behind all", todo.Sort{Field: todo.SortModifyTime}, cursor.Key{At: late, ID: "id"}, ""},
		{"behind all, downwards", todo.Sort{Field: todo.SortCreateTime, Descending: true}, cursor.Key{At: early, ID: "id"}, ""},
		{"an id that is none", todo.Sort{Field: todo.SortID}, cursor.Key{ID: "id015"}, "id020 id030"},
		{"an id behind all", todo.Sort{Field: todo.SortID}, cursor.Key{ID: "\U0010ffff"}, ""},
	} {
		for _, status := range []todo.Status{0, todo.Open} {
			p := walking("ann", status, tt.sort, 20)
			p.After = &tt.after
			items, err := s.Walk(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(ids(items), " "); got != tt.descending {
				t.Errorf("%s, status %d: %q, want %q", tt.name, status, got, tt.descending)
			}
		}
	}
}

// testWalkWhileChanging walks in every order while items are stored, changed and finished. Whatever matches
// all the time comes exactly once in an order that never changes; in the order of the modify time that is
// what nobody changes, and downwards nothing comes twice.
func testWalkWhileChanging(t *testing.T, s todo.Store) {
	const kept, size = 20, 3
	var clock atomic.Int64
	now := func() todo.Stamp { return stamp("erp", int(clock.Add(1))) }
	for i := range kept {
		upsert(t, s, now(), report(name("quiet", i)))
		upsert(t, s, now(), report(name("busy", i)))
	}
	for round, p := range []todo.WalkParams{
		walking("ann", todo.Open, todo.DefaultSort, size), walking("ann", 0, todo.DefaultSort, size), walking("", todo.Open, todo.DefaultSort, size),
	} {
		for _, p.Sort = range walkSorts() {
			var writers errgroup.Group
			for w := range 2 {
				rng := rand.New(rand.NewPCG(5, uint64(w)))
				writers.Go(func() error {
					for n := range 20 {
						fresh := fmt.Sprint("new ", rng.IntN(9), round, p.Sort, w, n)
						if err := change(t.Context(), s, rng, now, fresh, name("busy", rng.IntN(kept))); err != nil {
							return err
						}
					}
					return nil
				})
			}
			seen := map[string]int{}
			for _, i := range walk(t, s, p) {
				seen[i.ID]++
			}
			if err := writers.Wait(); err != nil {
				t.Fatal(err)
			}
			for i := range kept {
				if n := seen[name("quiet", i)]; n != 1 {
					t.Errorf("%+v: the item %s came %d times", p, name("quiet", i), n)
				}
				if n := seen[name("busy", i)]; n != 1 && p.Sort.Field != todo.SortModifyTime {
					t.Errorf("%+v: the item %s came %d times", p, name("busy", i), n)
				}
			}
			for id, n := range seen {
				if n > 1 && (p.Sort.Field != todo.SortModifyTime || p.Sort.Descending) {
					t.Errorf("%+v: the item %s came %d times", p, id, n)
				}
			}
		}
	}
}

// change stores a new item, or changes an old one, or stores and finishes one.
func change(ctx context.Context, s todo.Store, rng *rand.Rand, now func() todo.Stamp, fresh, old string) error {
	id := fresh
	if rng.IntN(2) == 0 {
		id = old
	}
	if _, err := s.Upsert(ctx, todo.UpsertParams{Stamp: now(), Report: report(id)}); err != nil {
		return err
	}
	if id == fresh && rng.IntN(2) == 0 {
		_, err := s.Clear(ctx, clearing(now(), id))
		return err
	}
	return nil
}
