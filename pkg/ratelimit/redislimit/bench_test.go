package redislimit_test

import (
	"testing"
	"time"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/ratelimit/redislimit"
)

var wide = ratelimit.Config{Writes: 100_000, Burst: 10 * time.Minute}

// BenchmarkTake is a call with a limit, which asks Redis.
func BenchmarkTake(b *testing.B) {
	client, _ := newClient(b)
	l := ratelimit.New(wide, ratelimit.Deps{Shared: redislimit.New(client, name())})
	b.ReportAllocs()
	for b.Loop() {
		l.Take(b.Context(), "erp", ratelimit.Writes, 1)
	}
	if s := l.Stats(); s.Fallbacks > 0 {
		b.Errorf("Redis did not answer %d times", s.Fallbacks)
	}
}
