package redislimit_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/ratelimit/redislimit"
)

// newReplica makes a limiter of 60 units, which fill in a minute.
func newReplica(client redis.UniversalClient, deployment string) *ratelimit.Limiter {
	return ratelimit.New(ratelimit.Config{Writes: 1, Burst: time.Minute}, ratelimit.Deps{
		Shared: redislimit.New(client, deployment), Logger: slog.New(slog.DiscardHandler),
	})
}

// spend makes calls of one unit until one is refused.
func spend(t *testing.T, client string, l *ratelimit.Limiter) (granted int) {
	t.Helper()
	for range 1000 {
		if !l.Take(t.Context(), client, ratelimit.Writes, 1).Granted {
			return granted
		}
		granted++
	}
	t.Fatal("there is no limit")
	return 0
}

func TestOutage(t *testing.T) {
	for name, broken := range map[string]bool{"refused connections": true, "no answers": false} {
		t.Run(name, func(t *testing.T) { testOutage(t, broken) })
	}
}

func testOutage(t *testing.T, broken bool) {
	deployment := name()
	first, cable := newClient(t)
	one := newReplica(first, deployment)
	start := time.Now()
	more := func() int { return int(time.Since(start).Seconds()) + 1 }
	if granted := spend(t, "before", one); granted < 60 || granted > 60+more() {
		t.Fatalf("%d calls were granted, want 60", granted)
	}

	cable.set(broken, !broken)
	if granted := spend(t, "before", one); granted > more() {
		t.Errorf("%d calls were granted although the bucket was empty", granted)
	}
	fastest := patience
	for range 3 {
		// A call is decided in any case, and only the first one waits.
		began := time.Now()
		one.Take(t.Context(), "during", ratelimit.Writes, 20)
		fastest = min(fastest, time.Since(began))
	}
	if fastest > time.Second {
		t.Errorf("each call took %v", fastest)
	}
	if one.Take(t.Context(), "during", ratelimit.Writes, 20).Granted {
		t.Error("there is no limit during the outage")
	}
	if one.Stats().Fallbacks < 4 {
		t.Errorf("stats are %+v", one.Stats())
	}

	cable.set(false, false)
	second, _ := newClient(t)
	take(t, redislimit.New(second, deployment), ratelimit.Limit{Rate: 1, Burst: time.Minute}, 60)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); ; <-tick.C {
		before := one.Stats().Fallbacks
		r := one.Take(t.Context(), "erp", ratelimit.Writes, 30)
		if one.Stats().Fallbacks == before {
			if r.Granted {
				t.Error("the replica does not know what the other one granted")
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the limits are not shared again")
		}
	}
}
