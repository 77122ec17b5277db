package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"example.com/hub/services/todohub/internal/todo"
)

const racers = 8

// race starts n runs at the same moment and waits for all of them.
func race(t *testing.T, n int, run func(ctx context.Context, i int) error) {
	t.Helper()
	gate := make(chan struct{})
	group, ctx := errgroup.WithContext(t.Context())
	for i := range n {
		group.Go(func() error {
			<-gate
			return run(ctx, i)
		})
	}
	close(gate)
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// testRaceFinish lets clears, invalidations and upserts of one open item meet: exactly one finish
// takes place, everyone who looks afterwards sees it, and no upsert undoes it.
func testRaceFinish(t *testing.T, s todo.Store) {
	for round := range 25 {
		id := name("id", round)
		upsert(t, s, stamp("erp", 0), report(id))
		var winners, reopened atomic.Int32
		var mu sync.Mutex
		var winner todo.Item
		race(t, 3*racers, func(ctx context.Context, i int) error {
			st := stamp(name("client", i), 1+i)
			var result todo.ChangeResult
			var err error
			switch i % 3 {
			case 0:
				p := clearing(st, id)
				p.Result = name("result", i)
				result, err = s.Clear(ctx, p)
			case 1:
				result, err = s.Invalidate(ctx, todo.InvalidateParams{Stamp: st, ID: id, Reason: name("reason", i)})
			case 2:
				done := winners.Load() > 0
				stored, upsertErr := s.Upsert(ctx, todo.UpsertParams{Stamp: st, Report: report(id)})
				if err = upsertErr; err == nil && done && stored.Item.Status == todo.Open {
					reopened.Add(1)
				}
			}
			if result.Changed {
				mu.Lock()
				winner = result.Item
				mu.Unlock()
				winners.Add(1)
			}
			return err
		})
		if winners.Load() != 1 || reopened.Load() != 0 {
			t.Fatalf("%d finishes took place, want 1; %d upserts reopened the item", winners.Load(), reopened.Load())
		}
		got, err := s.Get(t.Context(), todo.GetParams{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		// Upserts may have come after the finish; they follow these three.
		winner.SourceSystem, winner.ModifierID, winner.ModifyTime = got.SourceSystem, got.ModifierID, got.ModifyTime
		if diff := cmp.Diff(winner, got); diff != "" {
			t.Fatalf("the first finish was not kept (-want +got):\n%s", diff)
		}
	}
}

// testRaceUpsert lets clients create one item at the same time: all see one creator and one create
// time, and the fields that stay come from one report.
func testRaceUpsert(t *testing.T, s todo.Store) {
	for round := range 25 {
		id := name("id", round)
		var mu sync.Mutex
		var seen []todo.Item
		race(t, racers, func(ctx context.Context, i int) error {
			st := stamp(name("client", i), i)
			stored, err := s.Upsert(ctx, todo.UpsertParams{Stamp: st, Report: numbered(id, i)})
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, stored.Item)
			return err
		})
		last, err := s.Get(t.Context(), todo.GetParams{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range append(seen, last) {
			var writer int
			if _, err := fmt.Sscanf(item.ModifierID, "client%d", &writer); err != nil {
				t.Fatalf("modifier %q: %v", item.ModifierID, err)
			}
			want := itemOf(stamp(item.ModifierID, writer), numbered(id, writer))
			want.CreatorID, want.CreateTime = last.CreatorID, last.CreateTime
			want.FormerAssignee = item.FormerAssignee // see testRaceFormer
			if item.ModifyTime.After(want.ModifyTime) {
				want.ModifyTime = item.ModifyTime // of a writer before, whose clock was ahead
			}
			if diff := cmp.Diff(want, item); diff != "" {
				t.Fatalf("an answer mixes two writers (-want +got):\n%s", diff)
			}
		}
	}
}

// numbered differs from the reports of other numbers in every field that it sets.
func numbered(id string, n int) todo.Report {
	r := report(id)
	r.Title, r.Summary, r.SourceBizID, r.AssigneeUsername = name("t", n), name("s", n), name("b", n), name("a", n)
	return r
}

// testRaceOwnership lets clients that own only what they created create one item at the same time:
// one becomes the owner and all others are refused.
func testRaceOwnership(t *testing.T, s todo.Store) {
	for round := range 25 {
		id := name("id", round)
		var created, refused atomic.Int32
		race(t, racers, func(ctx context.Context, i int) error {
			stored, err := s.Upsert(ctx, todo.UpsertParams{Stamp: owned(name("client", i), i), Report: numbered(id, i)})
			if stored.Changed {
				created.Add(1)
			} else {
				refused.Add(1)
			}
			return err
		})
		if created.Load() != 1 || refused.Load() != racers-1 {
			t.Fatalf("%d clients became owners and %d were refused, want 1 and %d", created.Load(), refused.Load(), racers-1)
		}
	}
}

// testRaceSnapshot reads pages while items come and go: the total always fits the page.
func testRaceSnapshot(t *testing.T, s todo.Store) {
	const size = 4
	ann := "ann"
	race(t, 2*racers, func(ctx context.Context, i int) error {
		for n := range 30 {
			if i < racers {
				st := stamp("erp", n)
				id := name(name("id", i), n)
				if _, err := s.Upsert(ctx, todo.UpsertParams{Stamp: st, Report: report(id)}); err != nil {
					return err
				}
				if _, err := s.Invalidate(ctx, todo.InvalidateParams{Stamp: st, ID: id}); err != nil {
					return err
				}
				continue
			}
			p := latest(ann, size)
			p.Page.Number = int64(n % 2)
			result, err := s.List(ctx, p)
			if err != nil {
				return err
			}
			if want := min(size, max(0, result.Total-p.Page.Offset())); int64(len(result.Items)) != want {
				t.Errorf("page %d has %d items while the total is %d", p.Page.Number, len(result.Items), result.Total)
			}
		}
		return nil
	})
}
