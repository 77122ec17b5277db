package storetest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/todohub/internal/todo"
)

// versioned are the changes of an item with a version, each by a client of its own.
func versioned(s todo.Store, id string, n int64) map[string]func(context.Context) (todo.ChangeResult, error) {
	st := stamp(name("client", int(n)), int(n))
	return map[string]func(context.Context) (todo.ChangeResult, error){
		"upsert": func(ctx context.Context) (todo.ChangeResult, error) {
			r := numbered(id, int(n))
			r.SourceVersion = version(n)
			return s.Upsert(ctx, todo.UpsertParams{Stamp: st, Report: r})
		},
		"clear": func(ctx context.Context) (todo.ChangeResult, error) {
			p := clearing(st, id)
			p.SourceVersion = version(n)
			return s.Clear(ctx, p)
		},
		"invalidate": func(ctx context.Context) (todo.ChangeResult, error) {
			return s.Invalidate(ctx, todo.InvalidateParams{Stamp: st, ID: id, SourceVersion: version(n)})
		},
	}
}

// testOlderVersion has the version 7 stored.
func testOlderVersion(t *testing.T, s todo.Store) {
	for n, changes := range map[int64]bool{0: false, 6: false, 7: true, 8: true, 1<<53 - 1: true} {
		for _, how := range []string{"upsert", "clear", "invalidate"} {
			id := name(how, int(n%100))
			before := upsert(t, s, stamp("erp", 0), report(id))
			result, err := versioned(s, id, n)[how](t.Context())
			if err != nil || result.Changed != changes {
				t.Fatalf("%s of version %d: changed %v, %v", how, n, result.Changed, err)
			}
			if !changes {
				wantStored(t, s, before, before)
				continue
			}
			if got := *result.Item.SourceVersion; got != n {
				t.Errorf("%s of version %d: stored %d", how, n, got)
			}
			wantStored(t, s, result.Item, result.Item)
		}
	}
}

func testNoVersion(t *testing.T, s todo.Store) {
	bare := report("a")
	bare.SourceVersion = nil
	upsert(t, s, stamp("erp", 0), bare)
	if result, err := versioned(s, "a", 0)["upsert"](t.Context()); err != nil || !result.Changed {
		t.Fatalf("the first version: changed %v, %v", result.Changed, err)
	}
	if got := upsert(t, s, stamp("erp", 1), bare); *got.SourceVersion != 0 {
		t.Errorf("after an upsert without a version: %d", *got.SourceVersion)
	}
	if got := clearItem(t, s, stamp("erp", 2), "a"); *got.SourceVersion != 0 {
		t.Errorf("after a clear without a version: %d", *got.SourceVersion)
	}
}

// testRaceVersions upserts 100 versions at once: the highest stands, with the report that it came with,
// and each version that was not applied was older than the stored one.
func testRaceVersions(t *testing.T, s todo.Store) {
	const versions = 100
	race(t, versions, func(ctx context.Context, i int) error {
		_, err := versioned(s, "a", int64(i))["upsert"](ctx)
		return err
	})
	got, err := s.Get(t.Context(), todo.GetParams{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	want := numbered("a", versions-1)
	want.SourceVersion = version(versions - 1)
	if diff := cmp.Diff(want, got.Report); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func testListPayloads(t *testing.T, s todo.Store) {
	want := upsert(t, s, stamp("erp", 0), report("a"))
	walk := func(p todo.ListParams) ([]todo.Item, error) {
		return s.Walk(t.Context(), todo.WalkParams{ListParams: p})
	}
	list := func(p todo.ListParams) ([]todo.Item, error) {
		result, err := s.List(t.Context(), p)
		return result.Items, err
	}
	for kind, items := range map[string]func(todo.ListParams) ([]todo.Item, error){"list": list, "walk": walk} {
		for _, sort := range []todo.Sort{todo.DefaultSort, {Field: todo.SortID}} {
			for _, full := range []bool{true, false} {
				p := latest("ann", 20)
				p.Sort, p.Full = sort, full
				want := want
				if !full {
					want.Payload = ""
				}
				got, err := items(p)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]todo.Item{want}, got); diff != "" {
					t.Errorf("%s by %v, full %v (-want +got):\n%s", kind, sort, full, diff)
				}
			}
		}
	}
}
