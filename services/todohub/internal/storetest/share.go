package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/todohub/internal/todo"
)

// sharers are as many callers as fit into a statement.
const sharers = 64

// testShare has callers of all kinds upsert at once: each is answered what became of its own item.
func testShare(t *testing.T, s todo.Store) {
	for n := range sharers {
		upsert(t, s, stamp("erp", 0), numbered(name("id", n), n))
	}
	for round := range 10 {
		millis := 1 + round
		race(t, sharers, func(ctx context.Context, i int) error {
			id := name("id", i)
			p := todo.UpsertParams{Stamp: owned("erp", millis), Report: numbered(id, i+millis)}
			p.SourceVersion = version(int64(7 + millis))
			changes := true
			switch i % 5 {
			case 0: // a new item
				id += name(" new", round)
				p.ID = id
			case 1: // the item of another client
				p.Stamp, changes = owned("crm", millis), false
			case 2: // an operator, who may change any item
				p.Stamp = stamp("crm", millis)
			case 3: // an older version
				p.SourceVersion, changes = version(6), false
			}
			result, err := s.Upsert(ctx, p)
			if err != nil {
				return err
			}
			want := todo.ChangeResult{Changed: changes}
			if changes {
				want.Item = itemOf(p.Stamp, p.Report)
				if i%5 != 0 {
					want.Item.CreatorID, want.Item.CreateTime, want.Item.FormerAssignee = "erp", start, name("a", i+millis-1)
				}
			}
			if diff := cmp.Diff(want, result); diff != "" {
				t.Errorf("round %d, caller %d (-want +got):\n%s", round, i, diff)
			}
			stored, err := s.Get(ctx, todo.GetParams{ID: id})
			if err == nil && changes {
				if diff := cmp.Diff(result.Item, stored); diff != "" {
					t.Errorf("round %d, caller %d: stored (-answered +got):\n%s", round, i, diff)
				}
			}
			return err
		})
	}
}

// testShareWithLeavers has callers who leave at any time: the others are served, and what is answered is stored.
func testShareWithLeavers(t *testing.T, s todo.Store) {
	for round := range 20 {
		race(t, sharers, func(ctx context.Context, i int) error {
			p := todo.UpsertParams{Stamp: stamp("erp", round), Report: numbered(name(name("id", round), i), i)}
			leaves := i%3 == 0
			if leaves {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Duration(i)*50*time.Microsecond)
				defer cancel()
			}
			result, err := s.Upsert(ctx, p)
			if leaves && errors.Is(err, context.DeadlineExceeded) && fault.KindOf(err) == fault.Unavailable {
				return nil
			}
			if err == nil {
				wantStored(t, s, result.Item, itemOf(p.Stamp, p.Report))
			}
			return err
		})
	}
}
