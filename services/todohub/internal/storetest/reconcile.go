package storetest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/todohub/internal/todo"
)

// testReconcile draws stores and lists, and compares what is closed with what a plain reading of the rule
// says. Repeated it closes nothing.
func testReconcile(t *testing.T, s todo.Store) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the draws are to be the same each time
	for round := range 30 {
		asOf := start.Add(time.Duration(round+1) * time.Hour)
		before := map[string]todo.Item{}
		p := todo.ReconcileParams{
			Stamp: stamp("erp", 0), AsOf: asOf, From: name("id", random.IntN(10)), Action: todo.Cleared, Result: "gone",
			MaxClose: int64(random.IntN(12)), DryRun: random.IntN(4) == 0,
		}
		p.Now = asOf.Add(time.Minute)
		if random.IntN(2) == 0 {
			to := name("id", 15+random.IntN(10))
			p.To = &to
		}
		if random.IntN(3) == 0 {
			p.Owner = "erp"
		}
		if random.IntN(2) == 0 {
			p.Action = todo.Invalid
		}
		var gone []string
		for n := range 25 {
			id := name("id", n)
			st := stamp([]string{"erp", "erp", "erp", "crm"}[random.IntN(4)], 0)
			st.Now = asOf.Add(time.Duration(random.IntN(3)-2) * time.Second)
			before[id] = upsert(t, s, st, assigned(id, name("user", random.IntN(5))))
			if random.IntN(8) == 0 {
				result, err := s.Clear(t.Context(), clearing(st, id))
				if err != nil {
					t.Fatal(err)
				}
				if result.Changed {
					before[id] = result.Item
				}
			}
			item := before[id]
			inRange := id > p.From && (p.To == nil || id <= *p.To)
			switch mine := item.SourceSystem == "erp" && (p.Owner == "" || item.CreatorID == "erp"); {
			case inRange && random.IntN(2) == 0:
				p.Open = append(p.Open, todo.OpenItem{ID: id, SourceVersion: version(int64(6 + random.IntN(3)))})
			case inRange && mine && item.Status == todo.Open && item.ModifyTime.Before(asOf):
				gone = append(gone, id)
			}
		}
		wantReconciled(t, s, p, before, gone)
	}
}

func wantReconciled(t *testing.T, s todo.Store, p todo.ReconcileParams, before map[string]todo.Item, gone []string) {
	t.Helper()
	closes := !p.DryRun && int64(len(gone)) <= p.MaxClose
	shown := gone[:min(len(gone), int(p.MaxClose)+1)]
	want := todo.ReconcileResult{Closed: int64(len(shown)), IDs: shown}
	for _, id := range shown {
		want.Assignees = append(want.Assignees, before[id].AssigneeUsername)
	}
	for _, o := range p.Open {
		switch item := before[o.ID]; {
		case item.Status != todo.Open:
			want.Missing++
		case *item.SourceVersion < *o.SourceVersion:
			want.Stale++
		}
	}
	got, err := s.Reconcile(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	empty := cmp.Transformer("empty", func(ids []string) []string { return append([]string{}, ids...) })
	if diff := cmp.Diff(want, got, empty); diff != "" {
		t.Fatalf("%+v (-want +got):\n%s", p, diff)
	}
	for id, item := range before {
		if closes && slices.Contains(gone, id) {
			item.Status, item.ModifyTime, item.ModifierID = p.Action, p.Now, p.ClientID
			if p.Action == todo.Cleared {
				item.Result, item.ClearedAt = p.Result, &p.Now
			} else {
				item.Reason = p.Result
			}
		}
		wantStored(t, s, item, item)
	}
	if !closes {
		return
	}
	again, err := s.Reconcile(t.Context(), p)
	if err != nil || again.Closed != 0 {
		t.Fatalf("a repeat closed %d, %v", again.Closed, err)
	}
}

// testRaceReconcile lets upserts meet reconciles: an item that was reported since is never closed.
func testRaceReconcile(t *testing.T, s todo.Store) {
	for round := range 20 {
		id := name("id", round)
		upsert(t, s, stamp("erp", 0), report(id))
		race(t, racers, func(ctx context.Context, i int) error {
			if i%2 == 0 {
				_, err := s.Upsert(ctx, todo.UpsertParams{Stamp: stamp("erp", 5000+i), Report: numbered(id, i)})
				return err
			}
			_, err := s.Reconcile(ctx, todo.ReconcileParams{
				Stamp: stamp("erp", 9000), AsOf: start.Add(2 * time.Second), Action: todo.Invalid, Result: "gone", MaxClose: 1,
			})
			return err
		})
		got, err := s.Get(t.Context(), todo.GetParams{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		// Whether the reconcile came first or not, the later report stands in the item.
		if got.Title == "title "+id {
			t.Errorf("the report of %s is lost", id)
		}
		clearItemIfOpen(t, s, id)
	}
}

// clearItemIfOpen keeps an item out of the next round.
func clearItemIfOpen(t *testing.T, s todo.Store, id string) {
	t.Helper()
	if _, err := s.Clear(t.Context(), clearing(stamp("erp", 10_000), id)); err != nil {
		t.Fatal(err)
	}
}
