package redislimit_test

import (
	"testing"
	"time"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/ratelimit/redislimit"
)

var wide = ratelimit.Config{Writes: 100_000, Burst: 10 * time.Minute}

// BenchmarkAsk is one exchange with Redis, and BenchmarkTake a call of a busy client, which mostly
// needs none.
func BenchmarkAsk(b *testing.B) {
	s := newStore(b)
	l := ratelimit.Limit{Rate: wide.Writes, Burst: wide.Burst}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Take(b.Context(), "erp", ratelimit.Writes, l, ratelimit.Ask{Cost: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	client, _ := newClient(b)
	l := ratelimit.New(wide, ratelimit.Deps{Shared: redislimit.New(client, name())})
	b.ReportAllocs()
	for b.Loop() {
		l.Take(b.Context(), "erp", ratelimit.Writes, 1)
	}
}
