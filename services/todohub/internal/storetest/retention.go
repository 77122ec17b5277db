package storetest

import (
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/retention"
	"example.com/hub/services/todohub/internal/todo"
)

// removeOld goes through all users as a retention.Loop does, with small batches, and gives the number
// of the items that were removed.
func removeOld(t *testing.T, s todo.Store, before time.Time) (removed int) {
	t.Helper()
	old, ok := s.(retention.Store)
	if !ok {
		t.Fatalf("%T cannot remove what is old", s)
	}
	b := retention.Batch{Before: before, Users: 2, Rows: 3}
	for range 100 {
		r, err := old.RemoveOld(t.Context(), b)
		if err != nil || r.Busy {
			t.Fatalf("remove old items behind %q: busy %v, %v", b.After, r.Busy, err)
		}
		if r.Removed > b.Rows {
			t.Errorf("a batch removed %d items, want at most %d", r.Removed, b.Rows)
		}
		if removed += r.Removed; r.Done {
			return removed
		}
		b.After = r.Next
	}
	t.Fatal("the end does not come")
	return 0
}

// testRetention has, for each of some users, an item of every type and status that was changed last just
// before, at and after the time.
func testRetention(t *testing.T, s todo.Store) {
	const before = 1000
	users := []string{"ann", "ann ", "Bob", "bob", "eve", "zoe\U0001f600"}
	var gone, left []string
	for _, user := range users {
		for _, typ := range []todo.Type{todo.Handle, todo.Review} {
			for _, millis := range []int{0, before - 1, before, before + 1} {
				for _, finish := range []func(*testing.T, todo.Store, todo.Stamp, string) todo.Item{nil, clearItem, invalidateItem} {
					id := name(user, len(gone)+len(left))
					r := report(id)
					r.AssigneeUsername, r.Type = user, typ
					upsert(t, s, stamp("erp", 0), r)
					if finish != nil {
						finish(t, s, stamp("erp", millis), id)
					}
					if finish != nil && millis < before {
						gone = append(gone, id)
					} else {
						left = append(left, id)
					}
				}
			}
		}
	}
	if n := removeOld(t, s, start.Add(before*time.Millisecond)); n != len(gone) {
		t.Errorf("removed %d items, want %d", n, len(gone))
	}
	exist := func(all []string) (found []string) {
		for _, id := range all {
			if _, err := s.Get(t.Context(), todo.GetParams{ID: id}); err == nil {
				found = append(found, id)
			}
		}
		return found
	}
	if diff := gocmp.Diff([]string(nil), exist(gone)); diff != "" {
		t.Errorf("old items that stayed (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(left, exist(left)); diff != "" {
		t.Errorf("items that must stay (-want +got):\n%s", diff)
	}
	if n := removeOld(t, s, start.Add(before*time.Millisecond)); n != 0 {
		t.Errorf("the second time removed %d items", n)
	}
}

func testRetentionEmpty(t *testing.T, s todo.Store) {
	if n := removeOld(t, s, start.Add(time.Hour)); n != 0 {
		t.Errorf("removed %d items of an empty store", n)
	}
}

// testRetentionForgets has an upsert of a removed id, which is new.
func testRetentionForgets(t *testing.T, s todo.Store) {
	upsert(t, s, stamp("erp", 0), report("t1"))
	clearItem(t, s, stamp("erp", 1), "t1")
	// Whoever reports it again has it for longer.
	kept := upsert(t, s, stamp("erp", 10), report("t1"))
	if n := removeOld(t, s, start.Add(10*time.Millisecond)); n != 0 {
		t.Fatalf("removed %d items, want none", n)
	}
	wantStored(t, s, kept, kept)
	if n := removeOld(t, s, start.Add(11*time.Millisecond)); n != 1 {
		t.Fatalf("removed %d items, want 1", n)
	}
	again := upsert(t, s, stamp("crm", 20), report("t1"))
	wantStored(t, s, again, itemOf(stamp("crm", 20), report("t1")))
}

// testRaceRetention has removals beside upserts of the same items: whatever was answered last is stored.
func testRaceRetention(t *testing.T, s todo.Store) {
	const items, rounds = 10, 20
	old := s.(retention.Store)
	for round := range rounds {
		now := round * 100
		var g errgroup.Group
		for range 2 {
			g.Go(func() error {
				_, err := old.RemoveOld(t.Context(), retention.Batch{
					Before: start.Add(time.Duration(now) * time.Millisecond), Users: 10, Rows: 100,
				})
				return err
			})
		}
		for n := range items {
			g.Go(func() error {
				_, err := s.Upsert(t.Context(), todo.UpsertParams{Stamp: stamp("erp", now), Report: report(name("t", n))})
				return err
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		for n := range items {
			item, err := s.Get(t.Context(), todo.GetParams{ID: name("t", n)})
			if err != nil {
				t.Fatalf("round %d: an item that was just reported: %v", round, err)
			}
			if item.Status == todo.Open {
				clearItem(t, s, stamp("erp", now+1), name("t", n))
			}
		}
	}
}
