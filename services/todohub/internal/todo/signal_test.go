package todo_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/reconcile"
	"example.com/hub/services/todohub/internal/todo"
)

// recorded is a service with the bus that it publishes on.
func recorded(t *testing.T, store todo.Store) (*todo.Service, *bustest.Recorder) {
	t.Helper()
	heard := &bustest.Recorder{}
	return todo.New(todo.Deps{
		Store: store, Publisher: heard, Rules: defaultRules,
		Clock: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
	}), heard
}

// wantTold compares what was published, in one frame, with lines of a user and an id.
func wantTold(t *testing.T, heard *bustest.Recorder, want ...string) {
	t.Helper()
	frames := heard.Take()
	if len(frames) > 1 || (len(frames) == 0) != (len(want) == 0) {
		t.Fatalf("published %d frames: %+v", len(frames), frames)
	}
	var got []string
	for _, f := range frames {
		for _, e := range f.Events {
			if e.Kind != bus.Todo || e.Time.UnixMilli() != now.UnixMilli() || !f.Position.IsZero() {
				t.Errorf("published %+v in %+v", e, f)
			}
			got = append(got, e.User+" "+e.ID)
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestEveryChangeIsToldToItsUsers(t *testing.T) {
	s, heard := recorded(t, newStore(t))
	upsert(t, s, "erp", "a")
	wantTold(t, heard, "ann a")
	upsert(t, s, "erp", "a") // the same once more has a later modify time
	wantTold(t, heard, "ann a")
	moved := report("a")
	moved.AssigneeUsername = "bob"
	if _, err := s.Upsert(t.Context(), "erp", moved); err != nil {
		t.Fatal(err)
	}
	wantTold(t, heard, "bob a", "ann a")
	if _, err := clearItem(t, s, "erp", "a"); err != nil {
		t.Fatal(err)
	}
	wantTold(t, heard, "bob a")
	upsert(t, s, "erp", "b")
	heard.Take()
	if _, err := invalidateItem(t, s, "erp", "b"); err != nil {
		t.Fatal(err)
	}
	wantTold(t, heard, "ann b")
	upsert(t, s, "erp", "c")
	heard.Take()
	if _, err := s.ClearAny(t.Context(), "carla", todo.ClearRequest{ID: "c", Result: "done"}); err != nil {
		t.Fatal(err)
	}
	wantTold(t, heard, "ann c")
}

func TestWhatChangesNothingIsNotTold(t *testing.T) {
	s, heard := recorded(t, newStore(t))
	version := int64(7)
	newer := report("newer")
	newer.SourceVersion = &version
	if _, err := s.Upsert(t.Context(), "erp", newer); err != nil {
		t.Fatal(err)
	}
	upsert(t, s, "erp", "done")
	if _, err := clearItem(t, s, "erp", "done"); err != nil {
		t.Fatal(err)
	}
	heard.Take()

	older := int64(6)
	newer.SourceVersion = &older
	for name, call := range map[string]func() error{
		"stale upsert": func() error { _, err := s.Upsert(t.Context(), "erp", newer); return err },
		"stale clear": func() error {
			_, err := s.Clear(t.Context(), "erp", todo.ClearRequest{ID: "newer", Result: "done", SourceVersion: &older})
			return err
		},
		"cleared twice": func() error { _, err := clearItem(t, s, "erp", "done"); return err },
		"conflict":      func() error { _, _ = invalidateItem(t, s, "erp", "done"); return nil },
		"unknown":       func() error { _, _ = clearItem(t, s, "erp", "unknown"); return nil },
		"not valid":     func() error { _, _ = s.Upsert(t.Context(), "erp", todo.UpsertRequest{}); return nil },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if frames := heard.Take(); len(frames) > 0 {
			t.Errorf("%s: told %+v", name, frames)
		}
	}
}

func TestABatchIsToldInOneFrame(t *testing.T) {
	s, heard := recorded(t, newStore(t))
	upsert(t, s, "erp", "b")
	heard.Take()
	batch := []todo.UpsertRequest{report("c"), report(""), report("b"), report("a")}
	batch[2].AssigneeUsername = "bob"
	if _, err := s.UpsertBatch(t.Context(), "erp", batch); err != nil {
		t.Fatal(err)
	}
	wantTold(t, heard, "ann a", "bob b", "ann b", "ann c")
}

// TestManyChangesOfAUserAreToldAtOnce has one user with many, and others with few.
func TestManyChangesOfAUserAreToldAtOnce(t *testing.T) {
	s, heard := recorded(t, newStore(t))
	var batch []todo.UpsertRequest
	for i := range 20 {
		r := report(fmt.Sprintf("few-%02d", i))
		r.AssigneeUsername = "bob"
		batch = append(batch, r)
	}
	var want []string
	for _, r := range batch {
		want = append(want, "bob "+r.ID)
	}
	for i := range 100 {
		batch = append(batch, report(fmt.Sprintf("many-%02d", i)))
	}
	if _, err := s.UpsertBatch(t.Context(), "erp", batch); err != nil {
		t.Fatal(err)
	}
	wantTold(t, heard, append(want, "ann ")...)
}

// TestReconcileTellsOfWhatItCloses closes more of one user's items than it names.
func TestReconcileTellsOfWhatItCloses(t *testing.T) {
	store, clock := newStore(t), now.Add(-time.Hour)
	heard := &bustest.Recorder{}
	s := todo.New(todo.Deps{
		Store: store, Publisher: heard, Rules: defaultRules, Logger: slog.New(slog.DiscardHandler),
		Clock: func() time.Time { return clock },
	})
	for i := range 30 {
		upsert(t, s, "erp", fmt.Sprintf("many-%02d", i))
	}
	bobs := report("bobs")
	bobs.AssigneeUsername = "bob"
	if _, err := s.Upsert(t.Context(), "erp", bobs); err != nil {
		t.Fatal(err)
	}
	heard.Take()
	clock = now
	at := now.Add(-time.Minute)
	r := todo.ReconcileRequest{Range: reconcile.Range{AsOf: &at}, Action: todo.Cleared, Open: []todo.OpenItem{{ID: "many-00"}}}
	for _, step := range []struct {
		dry    bool
		closed int64
		told   []string
	}{{true, 30, nil}, {false, 30, []string{"bob bobs", "ann "}}, {false, 0, nil}} {
		r.DryRun = step.dry
		done, err := s.Reconcile(t.Context(), "erp", r)
		if err != nil || done.Closed != step.closed {
			t.Fatalf("closed %d, %v", done.Closed, err)
		}
		wantTold(t, heard, step.told...)
	}
}

var errAway = errors.New("away")

// unsure is a store whose changes are made and not answered.
type unsure struct {
	todo.Store
	err      error
	repeated bool
}

func (u *unsure) Upsert(ctx context.Context, p todo.UpsertParams) (todo.ChangeResult, error) {
	result, err := u.Store.Upsert(ctx, p)
	return u.hide(result, err)
}

func (u *unsure) Clear(ctx context.Context, p todo.ClearParams) (todo.ChangeResult, error) {
	result, err := u.Store.Clear(ctx, p)
	return u.hide(result, err)
}

func (u *unsure) hide(result todo.ChangeResult, err error) (todo.ChangeResult, error) {
	switch {
	case u.repeated:
		return todo.ChangeResult{Repeated: true}, err
	case u.err != nil:
		return todo.ChangeResult{}, u.err
	}
	return result, err
}

func (u *unsure) Reconcile(ctx context.Context, p todo.ReconcileParams) (todo.ReconcileResult, error) {
	if u.err != nil {
		return todo.ReconcileResult{}, u.err
	}
	return u.Store.Reconcile(ctx, p)
}

// TestChangesWithoutAnAnswerAreToldLater makes changes whose callers get an error, or whose first run was lost.
func TestChangesWithoutAnAnswerAreToldLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &unsure{Store: newStore(t)}
		s, heard := recorded(t, store)
		upsert(t, s, "erp", "a")
		heard.Take()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); s.Settle(ctx) }()

		store.err = errAway
		moved := report("a")
		moved.AssigneeUsername = "bob"
		if _, err := s.Upsert(t.Context(), "erp", moved); !errors.Is(err, errAway) {
			t.Fatal(err)
		}
		wantTold(t, heard)
		<-time.After(2 * time.Second)
		wantTold(t, heard, "bob a", "ann a")

		store.err, store.repeated = nil, true
		if _, err := clearItem(t, s, "erp", "a"); err != nil {
			t.Fatal(err)
		}
		<-time.After(2 * time.Second)
		wantTold(t, heard, "bob a", "ann a")

		store.err, store.repeated = errAway, false
		at := nowMicro.Truncate(time.Second)
		if _, err := s.Reconcile(t.Context(), "erp", todo.ReconcileRequest{Range: reconcile.Range{AsOf: &at}, Action: todo.Cleared}); !errors.Is(err, errAway) {
			t.Fatal(err)
		}
		<-time.After(2 * time.Minute)
		if frames := heard.Take(); len(frames) != 1 || !frames[0].AnyTodo() {
			t.Errorf("told %+v", frames)
		}
		cancel()
		<-ended
	})
}
