package todo_test

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/todohub/internal/todo"
)

func TestBatchHas1To500Items(t *testing.T) {
	s := newService(t, nil, defaultRules)
	_, err := s.UpsertBatch(t.Context(), "erp", nil)
	wantInvalid(t, err, "items", "items must not be empty")
	_, err = s.UpsertBatch(t.Context(), "erp", make([]todo.UpsertRequest, field.MaxBatch+1))
	wantInvalid(t, err, "items", "items must have at most 500 entries")
	results, err := s.UpsertBatch(t.Context(), "erp", make([]todo.UpsertRequest, field.MaxBatch))
	if err != nil || len(results) != field.MaxBatch {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, r := range results {
		wantInvalid(t, r.Err, "todo_id", "todo id must not be empty")
	}
}

// items draws reports of a few ids, some of which are not valid.
func items() *rapid.Generator[[]todo.UpsertRequest] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) todo.UpsertRequest {
		r := report(rapid.SampledFrom([]string{"a", "b", "c", "d", "foreign", ".", ""}).Draw(t, "id"))
		r.Title = rapid.SampledFrom([]string{"one", "two", "three", ""}).Draw(t, "title")
		if n := rapid.Int64Range(-1, 9).Draw(t, "version"); n > 0 {
			r.SourceVersion = &n
		}
		return r
	}), 1, 12)
}

// storeOf is a store with a foreign item, and a service for it whose clock goes on with each call.
func storeOf(t *testing.T) (todo.Store, *todo.Service) {
	t.Helper()
	store, clock := newStore(t), now
	rules := defaultRules
	rules.SourceOwned = true
	s := todo.New(todo.Deps{Store: store, Publisher: &bustest.Recorder{}, Rules: rules, Logger: slog.New(slog.DiscardHandler), Clock: func() time.Time {
		clock = clock.Add(time.Second)
		return clock
	}})
	upsert(t, s, "crm", "foreign")
	return store, s
}

// everything lists what is stored.
func everything(t *rapid.T, s todo.Store) []todo.Item {
	result, err := s.List(context.Background(), todo.ListParams{
		Status: todo.Open, Type: todo.Handle, Page: field.Page{Size: 100}, Sort: todo.Sort{Field: todo.SortID}, Full: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Items
}

// TestBatchEqualsSingleCalls stores batches in one store and the same items one by one in another.
func TestBatchEqualsSingleCalls(t *testing.T) {
	batched, batches := storeOf(t)
	single, singles := storeOf(t)
	rapid.Check(t, func(rt *rapid.T) {
		batch := items().Draw(rt, "items")
		got, err := batches.UpsertBatch(t.Context(), "erp", batch)
		if err != nil {
			rt.Fatal(err)
		}
		var want []todo.BatchResult
		for _, r := range batch {
			outcome, err := singles.Upsert(t.Context(), "erp", r)
			want = append(want, todo.BatchResult{ID: r.ID, Stale: outcome.Stale, Err: err})
		}
		same := gocmp.Comparer(func(a, b error) bool {
			return (a == nil) == (b == nil) && (a == nil || fault.As(a).Public == fault.As(b).Public && fault.KindOf(a) == fault.KindOf(b))
		})
		if diff := gocmp.Diff(want, got, same); diff != "" {
			rt.Fatalf("results (-single +batch):\n%s", diff)
		}
		if diff := gocmp.Diff(everything(rt, single), everything(rt, batched)); diff != "" {
			rt.Fatalf("stored (-single +batch):\n%s", diff)
		}
	})
}

// countingStore changes no more than most items at once, and counts single upserts.
type countingStore struct {
	todo.Store
	many    func([]todo.UpsertParams) ([]todo.ChangeResult, error)
	singles []string
	err     error
}

func (s *countingStore) UpsertMany(ctx context.Context, p []todo.UpsertParams) ([]todo.ChangeResult, error) {
	if s.many != nil {
		return s.many(p)
	}
	return s.Store.UpsertMany(ctx, p)
}

func (s *countingStore) Upsert(ctx context.Context, p todo.UpsertParams) (todo.ChangeResult, error) {
	s.singles = append(s.singles, p.ID)
	if s.err != nil {
		return todo.ChangeResult{}, s.err
	}
	return s.Store.Upsert(ctx, p)
}

func batchOf(n int) []todo.UpsertRequest {
	var batch []todo.UpsertRequest
	for i := range n {
		batch = append(batch, report(strconv.Itoa(n-1-i)))
	}
	return batch
}

func TestBatchIsOneStatementInTheOrderOfIDs(t *testing.T) {
	inner := newStore(t)
	store := &countingStore{Store: inner}
	store.many = func(p []todo.UpsertParams) ([]todo.ChangeResult, error) {
		if !slices.IsSortedFunc(p, func(a, b todo.UpsertParams) int { return cmp.Compare(a.ID, b.ID) }) || len(p) != 9 {
			t.Errorf("%d items are not in order", len(p))
		}
		return inner.UpsertMany(t.Context(), p)
	}
	s := newService(t, store, defaultRules)
	if _, err := s.UpsertBatch(t.Context(), "erp", append(batchOf(9), report("4"))); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff([]string{"4"}, store.singles); diff != "" {
		t.Errorf("single upserts (-want +got):\n%s", diff)
	}
}

// unchanged is what another change in the way leaves of a batch.
func unchanged(p []todo.UpsertParams) ([]todo.ChangeResult, error) {
	return make([]todo.ChangeResult, len(p)), nil
}

func TestBatchThatIsInTheWayIsStoredOneByOne(t *testing.T) {
	store := &countingStore{Store: newStore(t), many: unchanged}
	results, err := newService(t, store, defaultRules).UpsertBatch(t.Context(), "erp", batchOf(3))
	if err != nil || len(store.singles) != 3 {
		t.Fatalf("%d single upserts, %v", len(store.singles), err)
	}
	for _, r := range results {
		if r.Err != nil {
			t.Error(r.Err)
		}
	}
}

func TestBatchEndsWhenTheStoreIsAway(t *testing.T) {
	away := fault.New(fault.Unavailable, "the database is busy")
	store := &countingStore{many: unchanged, err: away}
	s := newService(t, store, defaultRules)
	if _, err := s.UpsertBatch(t.Context(), "erp", batchOf(3)); !errors.Is(err, away) || len(store.singles) != 1 {
		t.Errorf("%d single upserts, %v", len(store.singles), err)
	}
	store.many = func([]todo.UpsertParams) ([]todo.ChangeResult, error) { return nil, away }
	if _, err := s.UpsertBatch(t.Context(), "erp", batchOf(3)); !errors.Is(err, away) {
		t.Error(err)
	}
}
