package postgres_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// BenchmarkPush measures one push to N users, of a new message and of one that everybody has, and for
// comparison a bare COPY of the same records, sorted, in one transaction. It reports the time per target.
func BenchmarkPush(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("new/%d", n), func(b *testing.B) {
			s := open(b, pgtest.Schema(b))
			p := pushTo(n)
			var i int
			for b.Loop() {
				p.SourceMessageID = fmt.Sprint("message-", i)
				pushOnce(b, s, p, n)
				i++
			}
			perTarget(b, n)
		})
		b.Run(fmt.Sprintf("copy/%d", n), func(b *testing.B) {
			dsn := pgtest.Schema(b)
			open(b, dsn)
			conn := pgtest.Connect(b, dsn)
			p := pushTo(n)
			var i int64
			for b.Loop() {
				i++
				copyOnce(b, conn, p, i)
			}
			perTarget(b, n)
		})
		b.Run(fmt.Sprintf("again/%d", n), func(b *testing.B) {
			s := open(b, pgtest.Schema(b))
			p := pushTo(n)
			pushOnce(b, s, p, n)
			for b.Loop() {
				pushOnce(b, s, p, 0)
			}
			perTarget(b, n)
		})
	}
	for _, callers := range []int{16, 64} {
		for _, n := range []int{1, 16, 100} {
			b.Run(fmt.Sprintf("new/%d/%d_callers", n, callers), func(b *testing.B) {
				s := open(b, pgtest.Schema(b))
				var i atomic.Int64
				b.SetParallelism(callers / runtime.GOMAXPROCS(0))
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					p := pushTo(n)
					for pb.Next() {
						p.SourceMessageID = fmt.Sprint("message-", i.Add(1))
						if _, err := s.Push(b.Context(), p); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}

// BenchmarkMarkRead measures mark-reads of one record each.
func BenchmarkMarkRead(b *testing.B) {
	for _, callers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("%d_callers", callers), func(b *testing.B) {
			s := open(b, pgtest.Schema(b))
			p := pushTo(b.N)
			pushOnce(b, s, p, b.N)
			b.ResetTimer()
			var i atomic.Int64
			read := func() {
				_, err := s.MarkRead(b.Context(), inbox.MarkReadParams{
					Stamp: p.Stamp, SourceMessageID: p.SourceMessageID, Username: p.Targets[i.Add(1)-1],
				})
				if err != nil {
					b.Error(err)
				}
			}
			if callers == 1 {
				for range b.N {
					read()
				}
				return
			}
			b.SetParallelism(callers / runtime.GOMAXPROCS(0))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					read()
				}
			})
		})
	}
}

// BenchmarkList measures lists of a user with records of 20, 1,000 and 20,000 messages.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{20, 1000, 20_000} {
		s := open(b, pgtest.Schema(b))
		p := pushTo(3)
		for i := range n {
			p.SourceMessageID = fmt.Sprint("message-", i)
			p.OccurredAt = start.Add(time.Duration(i*7919%n) * time.Second)
			pushOnce(b, s, p, 3)
		}
		user := p.Targets[1]
		first, last := field.Page{Size: 20}, field.Page{Number: int64(n)/20 - 1, Size: 20}
		for _, q := range []struct {
			name string
			p    inbox.ListParams
		}{
			{"first", inbox.ListParams{Username: user, Page: first}},
			{"first_unread", inbox.ListParams{Username: user, Page: first, Status: inbox.Unread}},
			{"last", inbox.ListParams{Username: user, Page: last}},
			{"category", inbox.ListParams{Username: user, Page: first, Sort: inbox.Sort{Field: inbox.SortCategory}}},
			{"all_users", inbox.ListParams{Page: first}},
		} {
			if q.p.Sort == (inbox.Sort{}) {
				q.p.Sort = inbox.DefaultSort
			}
			b.Run(fmt.Sprintf("%s/%d", q.name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := s.List(b.Context(), q.p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("count_unread/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.CountUnread(b.Context(), inbox.CountUnreadParams{Username: user}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var start = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func pushTo(n int) inbox.PushParams {
	p := inbox.PushParams{
		Stamp:           inbox.Stamp{ClientID: "erp", Now: start},
		SourceMessageID: "message",
		Message: inbox.Message{
			Title:    "Order 4711 waits for your approval",
			Content:  "The order of 12 desks from the furniture contract needs a second signature before Friday.",
			Category: "notice",
			Actions:  []inbox.Action{{Label: "Open", URL: "https://erp.example.com/orders/4711"}},
		},
		OccurredAt: start,
	}
	for i := range n {
		p.Targets = append(p.Targets, fmt.Sprintf("user-%06d", i))
	}
	return p
}

func pushOnce(b testing.TB, s *postgres.Store, p inbox.PushParams, created int) {
	b.Helper()
	result, err := s.Push(b.Context(), p)
	if err != nil {
		b.Fatal(err)
	}
	if len(result.Created) != created {
		b.Fatalf("created %d records, want %d", len(result.Created), created)
	}
}

// copyOnce writes the inbox rows of a push and nothing else.
func copyOnce(b *testing.B, conn *pgx.Conn, p inbox.PushParams, id int64) {
	b.Helper()
	columns := []string{"message_id", "body_id", "ordinal", "status", "occurred_at", "username"}
	row := []any{id, id, nil, int16(1), p.OccurredAt, nil}
	_, err := conn.CopyFrom(b.Context(), pgx.Identifier{"inbox"}, columns,
		pgx.CopyFromSlice(len(p.Targets), func(i int) ([]any, error) {
			row[2], row[5] = i, p.Targets[i]
			return row, nil
		}))
	if err != nil {
		b.Fatal(err)
	}
}

func perTarget(b *testing.B, n int) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/target")
}
