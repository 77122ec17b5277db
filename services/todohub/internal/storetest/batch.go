package storetest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/todohub/internal/todo"
)

// testUpsertMany has an item that is new, one that is replaced, one that is newer, one of another client and
// one that is finished.
func testUpsertMany(t *testing.T, s todo.Store) {
	for _, id := range []string{"finished", "newer", "replaced"} {
		upsert(t, s, stamp("erp", 0), report(id))
	}
	clearItem(t, s, stamp("erp", 1), "finished")
	foreign := upsert(t, s, stamp("crm", 0), report("foreign"))
	newer, err := s.Get(t.Context(), todo.GetParams{ID: "newer"})
	if err != nil {
		t.Fatal(err)
	}

	var batch []todo.UpsertParams
	for i, id := range []string{"finished", "foreign", "new", "newer", "replaced"} {
		p := todo.UpsertParams{Stamp: owned("erp", 5+i), Report: numbered(id, i)}
		p.Payload, p.DueAt, p.SourceVersion = "", nil, version(7)
		if id == "newer" {
			p.SourceVersion = version(6)
		}
		batch = append(batch, p)
	}
	results, err := s.UpsertMany(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{1, 3} {
		if diff := cmp.Diff(todo.ChangeResult{}, results[i]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", batch[i].ID, diff)
		}
	}
	wantStored(t, s, foreign, foreign)
	wantStored(t, s, newer, newer)
	for _, i := range []int{0, 2, 4} {
		p := batch[i]
		want := itemOf(p.Stamp, p.Report)
		if p.ID != "new" {
			want.CreateTime, want.FormerAssignee = start, "ann"
		}
		if p.ID == "finished" {
			c := clearing(stamp("erp", 1), p.ID)
			want.Status, want.Result, want.ClearedAt, want.ClearedBy, want.Reason = todo.Cleared, c.Result, &c.ClearedAt, c.ClearedBy, c.Reason
		}
		if !results[i].Changed {
			t.Errorf("%s was not changed", p.ID)
		}
		wantStored(t, s, results[i].Item, want)
	}
}

// testRaceBatches stores the same items from several sides: each batch is one statement, so that of each
// batch all items stand or none.
func testRaceBatches(t *testing.T, s todo.Store) {
	const items = 50
	race(t, racers, func(ctx context.Context, i int) error {
		var batch []todo.UpsertParams
		for n := range items {
			p := todo.UpsertParams{Stamp: stamp(name("client", i), i), Report: numbered(name("id", n), i)}
			p.SourceVersion = version(int64(i))
			batch = append(batch, p)
		}
		results, err := s.UpsertMany(ctx, batch)
		changed := 0
		for _, r := range results {
			if r.Changed {
				changed++
			}
		}
		if err == nil && changed != 0 && changed != items {
			t.Errorf("batch %d changed %d of %d", i, changed, items)
		}
		return err
	})
	for n := range items {
		got, err := s.Get(t.Context(), todo.GetParams{ID: name("id", n)})
		if err != nil {
			t.Fatal(err)
		}
		if got.Title != name("t", racers-1) {
			t.Errorf("%s has %s", got.ID, got.Title)
		}
	}
}
