package storetest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/todohub/internal/todo"
)

// assigned is a report for a user.
func assigned(id, user string) todo.Report {
	r := report(id)
	r.AssigneeUsername = user
	return r
}

// testFormer moves an item from user to user, alone and in a batch.
func testFormer(t *testing.T, s todo.Store) {
	for i, step := range []struct{ user, former string }{{"ann", ""}, {"ann", ""}, {"bob", "ann"}, {"bob", ""}, {"ann", "bob"}} {
		if got := upsert(t, s, stamp("erp", i), assigned("a", step.user)); got.FormerAssignee != step.former {
			t.Errorf("step %d: from %q, want %q", i, got.FormerAssignee, step.former)
		}
	}
	if got := clearItem(t, s, stamp("erp", 10), "a"); got.FormerAssignee != "bob" {
		t.Errorf("a clear changed it to %q", got.FormerAssignee)
	}
	results, err := s.UpsertMany(t.Context(), []todo.UpsertParams{
		{Stamp: stamp("erp", 20), Report: assigned("a", "carl")},
		{Stamp: stamp("erp", 20), Report: assigned("new", "carl")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"ann", ""} {
		if !results[i].Changed || results[i].Item.FormerAssignee != want {
			t.Errorf("item %d is from %q, want %q; changed %v", i, results[i].Item.FormerAssignee, want, results[i].Changed)
		}
	}
}

// testRaceFormer moves an item to many users at once: each of them but the last one is told once that the item
// went to somebody else.
func testRaceFormer(t *testing.T, s todo.Store) {
	const users = 3 * racers
	for round := range 10 {
		id := name("id", round)
		var mu sync.Mutex
		var told []string
		race(t, users, func(ctx context.Context, i int) error {
			p := todo.UpsertParams{Stamp: stamp("erp", 1), Report: assigned(id, name("user", i))}
			results := make([]todo.ChangeResult, 1)
			var err error
			if i%3 == 0 {
				results, err = s.UpsertMany(ctx, []todo.UpsertParams{p})
			} else {
				results[0], err = s.Upsert(ctx, p)
			}
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			told = append(told, results[0].Item.FormerAssignee)
			return nil
		})
		last, err := s.Get(t.Context(), todo.GetParams{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{""} // of the first one
		for i := range users {
			if user := name("user", i); user != last.AssigneeUsername {
				want = append(want, user)
			}
		}
		slices.Sort(told)
		if diff := cmp.Diff(want, told); diff != "" {
			t.Fatalf("told (-want +got):\n%s", diff)
		}
	}
}
