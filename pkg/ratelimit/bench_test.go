package ratelimit_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/hub/pkg/ratelimit"
)

func BenchmarkTake(b *testing.B) {
	config := ratelimit.Config{Writes: 100_000, Burst: 10 * time.Minute}
	clients := make([]string, 1000)
	for i := range clients {
		clients[i] = fmt.Sprint("client-", i)
	}
	for _, n := range []int{1, len(clients)} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			l := ratelimit.New(config, ratelimit.Deps{})
			ctx := b.Context()
			b.ReportAllocs()
			b.RunParallel(func(p *testing.PB) {
				for i := 0; p.Next(); i++ {
					l.Take(ctx, clients[i%n], ratelimit.Writes, 1)
				}
			})
		})
	}
	b.Run("refused", func(b *testing.B) {
		l := ratelimit.New(ratelimit.Config{Writes: 1, Burst: time.Second}, ratelimit.Deps{})
		l.Take(b.Context(), "erp", ratelimit.Writes, 1_000_000)
		b.ReportAllocs()
		for b.Loop() {
			l.Take(b.Context(), "erp", ratelimit.Writes, 1)
		}
	})
}

func BenchmarkFields(b *testing.B) {
	l, _ := newLocal(ratelimit.Config{Writes: 100, Burst: 10 * time.Second})
	r := l.Take(b.Context(), "erp", ratelimit.Writes, 1)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = r.Policy(), r.State()
	}
}
