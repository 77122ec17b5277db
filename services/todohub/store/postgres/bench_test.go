package postgres_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/todohub/internal/todo"
	"example.com/hub/services/todohub/store/postgres"
)

var start = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// report is an upsert of one of 10,000 items of 100 users; each n has its own time.
func report(n int) todo.UpsertParams {
	return todo.UpsertParams{
		Stamp: todo.Stamp{ClientID: "erp", Now: start.Add(time.Duration(n) * time.Millisecond)},
		Report: todo.Report{
			ID: fmt.Sprintf("erp-order-%08d", n%10_000), Type: todo.Handle, SourceBizID: fmt.Sprint(n),
			AssigneeUsername: fmt.Sprintf("user-%04d", n%100), InitiatorUsername: "purchasing",
			Title:    "Order 4711 waits for your approval",
			Summary:  "The order of 12 desks from the furniture contract needs a second signature before Friday.",
			Category: "approval", ActionURL: "https://erp.example.com/orders/4711",
		},
	}
}

func upsert(t testing.TB, s *postgres.Store, p todo.UpsertParams) {
	t.Helper()
	if _, err := s.Upsert(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkUpsert measures upserts of stored items, by one caller and by many at once, with the connections
// of a hub.
func BenchmarkUpsert(b *testing.B) {
	s := pgtest.Open(b, pg.Config{URL: pgtest.Schema(b), MaxConns: 10, AcquireTimeout: 10 * time.Second}, postgres.Open)
	for n := range 10_000 {
		upsert(b, s, report(n))
	}
	var n atomic.Int64
	for _, callers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			b.ReportAllocs()
			end := n.Load() + int64(b.N)
			var group sync.WaitGroup
			for range callers {
				group.Go(func() {
					for i := n.Add(1); i <= end; i = n.Add(1) {
						if _, err := s.Upsert(b.Context(), report(int(i*7919))); err != nil {
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

// BenchmarkUpsertMany measures batches of stored items.
func BenchmarkUpsertMany(b *testing.B) {
	s := open(b, pgtest.Schema(b))
	all := batch(field.MaxBatch)
	for b.Loop() {
		if _, err := s.UpsertMany(b.Context(), all); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkList measures the default list of a user with 100 and with 10,000 open items.
func BenchmarkList(b *testing.B) {
	for _, items := range []int{100, 10_000} {
		s := open(b, pgtest.Schema(b))
		for n := range items {
			p := report(n)
			p.AssigneeUsername = "ann"
			upsert(b, s, p)
		}
		p := latest(20)
		p.AssigneeUsername = "ann"
		for _, page := range []struct {
			name   string
			number int64
		}{{"first", 0}, {"last", int64(items)/20 - 1}} {
			p.Page.Number = page.number
			b.Run(fmt.Sprintf("%s/%d", page.name, items), func(b *testing.B) {
				for b.Loop() {
					got, err := s.List(b.Context(), p)
					if err != nil || len(got.Items) != 20 || got.Total != int64(items) {
						b.Fatalf("%d items of %d, %v", len(got.Items), got.Total, err)
					}
				}
			})
		}
	}
}
