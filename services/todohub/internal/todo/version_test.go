package todo_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/retention"
	"example.com/hub/services/todohub/internal/todo"
)

func version(n int64) *int64 { return &n }

// versioned are the changes of an item with a version.
func versioned(t *testing.T, s *todo.Service, client, id string, n *int64) map[string]func() (todo.Outcome, error) {
	t.Helper()
	return map[string]func() (todo.Outcome, error){
		"upsert": func() (todo.Outcome, error) {
			r := report(id)
			r.SourceVersion = n
			return s.Upsert(t.Context(), client, r)
		},
		"clear": func() (todo.Outcome, error) {
			c := approve
			c.ID, c.SourceVersion = id, n
			return s.Clear(t.Context(), client, c)
		},
		"invalidate": func() (todo.Outcome, error) {
			i := void
			i.ID, i.SourceVersion = id, n
			return s.Invalidate(t.Context(), client, i)
		},
	}
}

// TestOlderVersionAnswersStoredItem has an item of version 7 in each status.
func TestOlderVersionAnswersStoredItem(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	for _, status := range []string{"upsert", "clear", "invalidate"} {
		if _, err := versioned(t, s, "erp", status, version(7))["upsert"](); err != nil {
			t.Fatal(err)
		}
		want, err := versioned(t, s, "erp", status, version(7))[status]()
		if err != nil || want.Stale {
			t.Fatalf("%+v, %v", want, err)
		}
		want.Stale = true
		for how, change := range versioned(t, s, "crm", status, version(6)) {
			got, err := change()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s after %s (-want +got):\n%s", how, status, diff)
			}
		}
	}
	_, err := versioned(t, s, "erp", "clear", version(7))["invalidate"]()
	wantFault(t, err, fault.Conflict, `todo "clear" is already CLEARED`)
}

func TestForeignItemIsRefusedWhateverTheVersion(t *testing.T) {
	rules := defaultRules
	rules.SourceOwned = true
	s := newService(t, newStore(t), rules)
	if _, err := versioned(t, s, "erp", "a", version(7))["upsert"](); err != nil {
		t.Fatal(err)
	}
	for _, n := range []*int64{nil, version(6), version(8)} {
		for _, change := range versioned(t, s, "crm", "a", n) {
			_, err := change()
			wantFault(t, err, fault.Forbidden, "the item belongs to another client")
		}
	}
}

func TestNullPayloadIsNone(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	for payload, want := range map[string]string{"": "", "null": "", " null\n": "", `"null"`: `"null"`, " [null]": " [null]"} {
		r := report("a")
		r.Payload = payload
		got, err := s.Upsert(t.Context(), "erp", r)
		if err != nil || got.Item.Payload != want {
			t.Errorf("%q is stored as %q, %v; want %q", payload, got.Item.Payload, err, want)
		}
	}
}

// forgetfulStore removes the item behind the first upsert, which it did not change.
type forgetfulStore struct {
	todo.Store
	remove  func()
	upserts int
}

func (s *forgetfulStore) Upsert(ctx context.Context, p todo.UpsertParams) (todo.ChangeResult, error) {
	result, err := s.Store.Upsert(ctx, p)
	if s.upserts++; s.upserts == 1 {
		s.remove()
	}
	return result, err
}

func TestUpsertCreatesItemThatIsRemovedMeanwhile(t *testing.T) {
	inner := newStore(t)
	s := newService(t, inner, defaultRules)
	for _, how := range []string{"upsert", "clear"} {
		if _, err := versioned(t, s, "erp", "a", version(7))[how](); err != nil {
			t.Fatal(err)
		}
	}
	store := &forgetfulStore{Store: inner, remove: func() {
		b := retention.Batch{Before: now.Add(time.Hour), Users: 1, Rows: 1}
		if r, err := inner.(retention.Store).RemoveOld(t.Context(), b); err != nil || r.Removed != 1 {
			t.Errorf("%d removed, %v", r.Removed, err)
		}
	}}
	got, err := versioned(t, newService(t, store, defaultRules), "erp", "a", version(6))["upsert"]()
	if err != nil || got.Stale || got.Item.Status != todo.Open || store.upserts != 2 {
		t.Errorf("%+v after %d upserts, %v", got, store.upserts, err)
	}
}
