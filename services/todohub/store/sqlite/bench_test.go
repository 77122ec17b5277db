package sqlite_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/services/todohub/internal/todo"
)

// BenchmarkList measures the default list of a user, its first and its last page, and one of another order.
func BenchmarkList(b *testing.B) {
	start := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for _, n := range []int{100, 10_000} {
		s := openStore(b, filepath.Join(b.TempDir(), "todo.db"))
		for i := range n {
			if _, err := s.Upsert(b.Context(), todo.UpsertParams{
				Stamp: todo.Stamp{ClientID: "erp", Now: start.Add(time.Duration(i*7919%n) * time.Second)},
				Report: todo.Report{
					ID: fmt.Sprint("erp-order-", i), Type: todo.Handle, AssigneeUsername: "ann", InitiatorUsername: "purchasing",
					Title: "Order 4711 waits for your approval", Category: "approval", ActionURL: "https://erp.example.com/orders/4711",
					Summary: "The order of 12 desks from the furniture contract needs a second signature before Friday.",
				},
			}); err != nil {
				b.Fatal(err)
			}
		}
		for name, p := range map[string]todo.ListParams{
			"first": {},
			"last":  {Page: field.Page{Number: int64(n)/20 - 1}},
			"title": {Sort: todo.Sort{Field: todo.SortTitle}},
		} {
			p.AssigneeUsername, p.Status, p.Type, p.Page.Size = "ann", todo.Open, todo.Handle, 20
			if p.Sort.Field == 0 {
				p.Sort = todo.DefaultSort
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					got, err := s.List(b.Context(), p)
					if err != nil || len(got.Items) != 20 || got.Total != int64(n) {
						b.Fatalf("%d items of %d, %v", len(got.Items), got.Total, err)
					}
				}
			})
		}
	}
}

// BenchmarkUpsert measures upserts of 10,000 items, by one caller and by many at once.
func BenchmarkUpsert(b *testing.B) {
	s := openStore(b, filepath.Join(b.TempDir(), "todo.db"))
	var n atomic.Int64
	for _, callers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			b.ReportAllocs()
			end := n.Load() + int64(b.N)
			var group sync.WaitGroup
			for range callers {
				group.Go(func() {
					for i := n.Add(1); i <= end; i = n.Add(1) {
						p := todo.UpsertParams{
							Stamp:  todo.Stamp{ClientID: "erp", Now: time.UnixMicro(i).UTC()},
							Report: todo.Report{ID: fmt.Sprint("erp-order-", i*7919%10_000), Type: todo.Handle, AssigneeUsername: "ann"},
						}
						if _, err := s.Upsert(b.Context(), p); err != nil {
							b.Error(err)
						}
					}
				})
			}
			group.Wait()
			n.Store(end)
		})
	}
}
