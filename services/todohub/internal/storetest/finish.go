package storetest

import (
	"testing"

	"example.com/hub/services/todohub/internal/todo"
)

func testClear(t *testing.T, s todo.Store) {
	upsert(t, s, stamp("erp", 0), report("other"))
	want := upsert(t, s, stamp("erp", 0), report("a"))
	p := clearing(stamp("portal", 1), "a")
	want.Status, want.Result, want.ClearedAt, want.ClearedBy, want.Reason =
		todo.Cleared, p.Result, &p.ClearedAt, p.ClearedBy, p.Reason
	want.ModifierID, want.ModifyTime = "portal", p.Now

	wantStored(t, s, clearItem(t, s, p.Stamp, "a"), want)
	untouched := itemOf(stamp("erp", 0), report("other"))
	wantStored(t, s, untouched, untouched)
}

func testInvalidate(t *testing.T, s todo.Store) {
	upsert(t, s, stamp("erp", 0), report("other"))
	want := upsert(t, s, stamp("erp", 0), report("a"))
	st := stamp("portal", 1)
	want.Status, want.Reason, want.ModifierID, want.ModifyTime = todo.Invalid, "void", "portal", st.Now

	wantStored(t, s, invalidateItem(t, s, st, "a"), want)
	untouched := itemOf(stamp("erp", 0), report("other"))
	wantStored(t, s, untouched, untouched)
}

// finishes are both ways to finish an item; they do not expect to succeed.
var finishes = []struct {
	name string
	run  func(t *testing.T, s todo.Store, st todo.Stamp, id string) (switched bool)
}{
	{"clear", func(t *testing.T, s todo.Store, st todo.Stamp, id string) bool {
		t.Helper()
		result, err := s.Clear(t.Context(), clearing(st, id))
		if err != nil {
			t.Error(err)
		}
		return result.Changed
	}},
	{"invalidate", func(t *testing.T, s todo.Store, st todo.Stamp, id string) bool {
		t.Helper()
		result, err := s.Invalidate(t.Context(), todo.InvalidateParams{Stamp: st, ID: id, Reason: "late"})
		if err != nil {
			t.Error(err)
		}
		return result.Changed
	}},
}

func testFinishTwice(t *testing.T, s todo.Store) {
	upsert(t, s, stamp("erp", 0), report("cleared"))
	upsert(t, s, stamp("erp", 0), report("invalid"))
	for _, want := range []todo.Item{
		clearItem(t, s, stamp("portal", 1), "cleared"),
		invalidateItem(t, s, stamp("portal", 1), "invalid"),
	} {
		for _, f := range finishes {
			if f.run(t, s, stamp("late", 2), want.ID) {
				t.Errorf("%s switched the %s item", f.name, want.Status)
			}
			wantStored(t, s, want, want)
		}
	}
}

func testFinishUnknown(t *testing.T, s todo.Store) {
	upsert(t, s, stamp("erp", 0), report("a"))
	for _, f := range finishes {
		if f.run(t, s, stamp("portal", 1), "A") {
			t.Errorf("%s switched an item that does not exist", f.name)
		}
	}
	want := itemOf(stamp("erp", 0), report("a"))
	wantStored(t, s, want, want)
}

func testFinishForeign(t *testing.T, s todo.Store) {
	for _, f := range finishes {
		want := upsert(t, s, stamp("erp", 0), report(f.name))
		if f.run(t, s, owned("crm", 1), f.name) {
			t.Errorf("%s switched a foreign item", f.name)
		}
		wantStored(t, s, want, want)
		if !f.run(t, s, owned("erp", 2), f.name) {
			t.Errorf("%s did not switch the client's own item", f.name)
		}
	}
}

// testClockBack makes the changes some milliseconds before the creation.
func testClockBack(t *testing.T, s todo.Store) {
	for _, id := range []string{"clear", "invalidate"} {
		created := stamp("erp", 20)
		upsert(t, s, created, report(id))
		want := itemOf(created, report(id))
		want.SourceSystem, want.ModifierID = "crm", "crm"
		wantStored(t, s, upsert(t, s, stamp("crm", 10), report(id)), want)

		want.ModifierID = "portal"
		st := stamp("portal", 5)
		if id == "invalidate" {
			want.Status, want.Reason = todo.Invalid, "void"
			wantStored(t, s, invalidateItem(t, s, st, id), want)
			continue
		}
		p := clearing(st, id)
		want.Status, want.Result, want.ClearedAt, want.ClearedBy, want.Reason =
			todo.Cleared, p.Result, &p.ClearedAt, p.ClearedBy, p.Reason
		wantStored(t, s, clearItem(t, s, st, id), want)
	}
}
