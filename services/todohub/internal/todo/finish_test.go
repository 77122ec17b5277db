package todo_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/retention"
	"example.com/hub/services/todohub/internal/todo"
)

var (
	approve = todo.ClearRequest{Result: "approved", ClearedBy: "carl", Reason: "fine"}
	void    = todo.InvalidateRequest{Reason: "void"}
)

func clearItem(t *testing.T, s *todo.Service, client, id string) (todo.Item, error) {
	t.Helper()
	c := approve
	c.ID = id
	done, err := s.Clear(t.Context(), client, c)
	return done.Item, err
}

func invalidateItem(t *testing.T, s *todo.Service, client, id string) (todo.Item, error) {
	t.Helper()
	i := void
	i.ID = id
	done, err := s.Invalidate(t.Context(), client, i)
	return done.Item, err
}

func TestClearWritesItsValues(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_789, time.UTC)
	for id, tt := range map[string]struct {
		at   *time.Time
		want time.Time
	}{
		"default": {nil, nowMicro},
		"given":   {&at, at.Truncate(time.Microsecond)},
	} {
		want := upsert(t, s, "erp", id)
		got, err := s.Clear(t.Context(), "portal", todo.ClearRequest{
			ID: id, Result: "approved", ClearedAt: tt.at, ClearedBy: "carl", Reason: "fine",
		})
		if err != nil {
			t.Fatal(err)
		}
		want.Status, want.ModifierID = todo.Cleared, "portal"
		want.Result, want.ClearedAt, want.ClearedBy, want.Reason = "approved", &tt.want, "carl", "fine"
		if diff := cmp.Diff(want, got.Item); diff != "" {
			t.Errorf("%s: item (-want +got):\n%s", id, diff)
		}
	}
}

func TestInvalidateWritesReason(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	want := upsert(t, s, "erp", "a")
	got, err := invalidateItem(t, s, "portal", "a")
	if err != nil {
		t.Fatal(err)
	}
	want.Status, want.Reason, want.ModifierID = todo.Invalid, "void", "portal"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("item (-want +got):\n%s", diff)
	}
}

func TestSameFinishAgainAnswersStoredItem(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	upsert(t, s, "erp", "c")
	upsert(t, s, "erp", "i")
	cleared, err := clearItem(t, s, "portal", "c")
	if err != nil {
		t.Fatal(err)
	}
	invalid, err := invalidateItem(t, s, "portal", "i")
	if err != nil {
		t.Fatal(err)
	}

	again, err := s.Clear(t.Context(), "late", todo.ClearRequest{ID: "c", Result: "rejected"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(todo.Outcome{Item: cleared}, again); diff != "" {
		t.Errorf("second clear (-first +second):\n%s", diff)
	}
	again, err = s.Invalidate(t.Context(), "late", todo.InvalidateRequest{ID: "i", Reason: "other"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(todo.Outcome{Item: invalid}, again); diff != "" {
		t.Errorf("second invalidate (-first +second):\n%s", diff)
	}
}

func TestCrossingFinishIsConflict(t *testing.T) {
	store := newStore(t)
	s := newService(t, store, defaultRules)
	upsert(t, s, "erp", "c")
	upsert(t, s, "erp", "i")
	cleared, err := clearItem(t, s, "portal", "c")
	if err != nil {
		t.Fatal(err)
	}
	invalid, err := invalidateItem(t, s, "portal", "i")
	if err != nil {
		t.Fatal(err)
	}

	_, err = invalidateItem(t, s, "late", "c")
	wantFault(t, err, fault.Conflict, `todo "c" is already CLEARED`)
	_, err = clearItem(t, s, "late", "i")
	wantFault(t, err, fault.Conflict, `todo "i" is already INVALID`)
	for _, want := range []todo.Item{cleared, invalid} {
		got, err := store.Get(t.Context(), todo.GetParams{ID: want.ID})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the refused call changed the item (-want +got):\n%s", diff)
		}
	}
}

func TestUnknownIDIsNotFound(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	long := strings.Repeat("\u6f22", 255)
	for id, public := range map[string]string{
		"a":          `todo "a" not found`,
		"a\" \u202e": `todo "a\" \u202e" not found`,
		long:         `todo "` + long[:64*3] + `…" not found`,
	} {
		_, err := clearItem(t, s, "erp", id)
		wantFault(t, err, fault.NotFound, public)
		_, err = invalidateItem(t, s, "erp", id)
		wantFault(t, err, fault.NotFound, public)
	}
}

func TestOwnership(t *testing.T) {
	const refused = "the item belongs to another client"
	store := newStore(t)
	var audit strings.Builder
	s := todo.New(todo.Deps{
		Publisher: &bustest.Recorder{},
		Store:     store,
		Rules:     todo.Rules{SourceOwned: true, Operators: []string{"ops"}, MaxPageSize: 200, ListTimeout: time.Minute},
		Clock:     func() time.Time { return now },
		Logger:    slog.New(slog.NewTextHandler(&audit, nil)),
	})
	want := upsert(t, s, "erp", "a")

	_, err := s.Upsert(t.Context(), "crm", report("a"))
	wantFault(t, err, fault.Forbidden, refused)
	_, err = clearItem(t, s, "crm", "a")
	wantFault(t, err, fault.Forbidden, refused)
	_, err = invalidateItem(t, s, "crm", "a")
	wantFault(t, err, fault.Forbidden, refused)
	if n := strings.Count(audit.String(), "client_id=crm"); n != 3 {
		t.Errorf("%d refusals were logged, want 3:\n%s", n, audit.String())
	}
	got, err := store.Get(t.Context(), todo.GetParams{ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a refused call changed the item (-want +got):\n%s", diff)
	}

	if got := upsert(t, s, "ops", "a"); got.CreatorID != "erp" || got.ModifierID != "ops" || got.SourceSystem != "ops" {
		t.Errorf("operator's upsert: creator %s, modifier %s, source %s; want erp, ops, ops", got.CreatorID, got.ModifierID, got.SourceSystem)
	}
	if _, err := clearItem(t, s, "erp", "a"); err != nil {
		t.Errorf("clear by the creator: %v", err)
	}
	// Not even the stored result of a finished item is another client's to see by this way.
	_, err = clearItem(t, s, "crm", "a")
	wantFault(t, err, fault.Forbidden, refused)
	_, err = invalidateItem(t, s, "crm", "a")
	wantFault(t, err, fault.Forbidden, refused)
	if _, err := clearItem(t, s, "ops", "a"); err != nil {
		t.Errorf("repeated clear by an operator: %v", err)
	}
}

func TestSharedOwnershipLetsEveryClientChange(t *testing.T) {
	s := newService(t, newStore(t), defaultRules)
	upsert(t, s, "erp", "a")
	if got := upsert(t, s, "crm", "a"); got.SourceSystem != "crm" || got.CreatorID != "erp" {
		t.Errorf("source %s, creator %s; want crm, erp", got.SourceSystem, got.CreatorID)
	}
	if _, err := clearItem(t, s, "portal", "a"); err != nil {
		t.Error(err)
	}
}

// lateStore creates the item after the first switch has looked for it.
type lateStore struct {
	todo.Store
	create   func() error
	switches int
}

func (s *lateStore) Clear(ctx context.Context, p todo.ClearParams) (todo.ChangeResult, error) {
	result, err := s.Store.Clear(ctx, p)
	if s.switches++; err == nil && s.switches == 1 {
		err = s.create()
	}
	return result, err
}

func TestClearFindsItemThatAppearsMeanwhile(t *testing.T) {
	inner := newStore(t)
	store := &lateStore{Store: inner}
	s := newService(t, store, defaultRules)
	store.create = func() error {
		_, err := newService(t, inner, defaultRules).Upsert(t.Context(), "erp", report("a"))
		return err
	}
	got, err := clearItem(t, s, "portal", "a")
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != todo.Cleared || store.switches != 2 {
		t.Errorf("status %v after %d switches, want CLEARED after 2", got.Status, store.switches)
	}
}

// renewedStore finishes and removes the item before the second switch, and creates it anew behind it.
type renewedStore struct {
	todo.Store
	remove, create func() error
	switches       int
}

func (s *renewedStore) Clear(ctx context.Context, p todo.ClearParams) (todo.ChangeResult, error) {
	if s.switches++; s.switches == 2 {
		if err := s.remove(); err != nil {
			return todo.ChangeResult{}, err
		}
	}
	result, err := s.Store.Clear(ctx, p)
	if err == nil && s.switches <= 2 {
		err = s.create()
	}
	return result, err
}

func TestClearFindsItemThatWasRemovedAndAppearsAnew(t *testing.T) {
	inner := newStore(t)
	clock := now
	others := todo.New(todo.Deps{
		Publisher: &bustest.Recorder{},
		Store:     inner, Rules: defaultRules, Clock: func() time.Time { return clock }, Logger: slog.New(slog.DiscardHandler),
	})
	store := &renewedStore{Store: inner}
	store.create = func() error {
		_, err := others.Upsert(t.Context(), "erp", report("a"))
		return err
	}
	store.remove = func() error {
		if _, err := invalidateItem(t, others, "erp", "a"); err != nil {
			return err
		}
		clock = clock.Add(time.Hour)
		r, err := inner.(retention.Store).RemoveOld(t.Context(), retention.Batch{Before: clock, Users: 1, Rows: 1})
		if err == nil && r.Removed != 1 {
			t.Error("retention did not remove the item")
		}
		return err
	}
	got, err := clearItem(t, newService(t, store, defaultRules), "portal", "a")
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != todo.Cleared || store.switches != 3 {
		t.Errorf("status %v after %d switches, want CLEARED after 3", got.Status, store.switches)
	}
}

// stuckStore never switches an OPEN item.
type stuckStore struct{ todo.Store }

func (stuckStore) Clear(context.Context, todo.ClearParams) (todo.ChangeResult, error) {
	return todo.ChangeResult{}, nil
}

func TestClearGivesUpOnBrokenStore(t *testing.T) {
	s := newService(t, stuckStore{newStore(t)}, defaultRules)
	upsert(t, s, "erp", "a")
	_, err := clearItem(t, s, "portal", "a")
	wantFault(t, err, fault.Internal, "internal error")
}
