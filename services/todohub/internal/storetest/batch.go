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
	changed, err := s.UpsertMany(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"finished": "ann", "new": "", "replaced": "ann"}, changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	wantStored(t, s, foreign, foreign)
	wantStored(t, s, newer, newer)
	for _, i := range []int{0, 2, 4} {
		p := batch[i]
		want := itemOf(p.Stamp, p.Report)
		got, err := s.Get(t.Context(), todo.GetParams{ID: p.ID})
		if err != nil {
			t.Fatal(err)
		}
		if p.ID != "new" {
			want.CreateTime, want.FormerAssignee = start, "ann"
		}
		if p.ID == "finished" {
			c := clearing(stamp("erp", 1), p.ID)
			want.Status, want.Result, want.ClearedAt, want.ClearedBy, want.Reason = todo.Cleared, c.Result, &c.ClearedAt, c.ClearedBy, c.Reason
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p.ID, diff)
		}
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
		changed, err := s.UpsertMany(ctx, batch)
		if err == nil && len(changed) != 0 && len(changed) != items {
			t.Errorf("batch %d changed %d of %d", i, len(changed), items)
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
