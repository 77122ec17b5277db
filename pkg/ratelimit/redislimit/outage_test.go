package redislimit_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/ratelimit/redislimit"
)

// newReplica makes a limiter of 60 units, which fill in a minute. It runs until the test is over.
func newReplica(t *testing.T, client redis.UniversalClient, deployment string) *ratelimit.Limiter {
	t.Helper()
	l := ratelimit.New(ratelimit.Config{Writes: 1, Burst: time.Minute}, ratelimit.Deps{
		Shared: redislimit.New(client, deployment), Logger: slog.New(slog.DiscardHandler),
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l
}

// spend makes calls of one unit until one is refused, by the limiters in turn.
func spend(t *testing.T, client string, limiters ...*ratelimit.Limiter) (granted int) {
	t.Helper()
	for i := range 1000 {
		if !limiters[i%len(limiters)].Take(t.Context(), client, ratelimit.Writes, 1).Granted {
			return granted
		}
		granted++
	}
	t.Fatal("there is no limit")
	return 0
}

func TestTwoReplicasShareABucket(t *testing.T) {
	deployment := name()
	one, _ := newClient(t)
	two, _ := newClient(t)
	start := time.Now()
	granted := spend(t, "erp", newReplica(t, one, deployment), newReplica(t, two, deployment))
	// One may have taken some ahead that the other lacks.
	if most := 60 + int(time.Since(start).Seconds()) + 1; granted < 50 || granted > most {
		t.Errorf("%d calls were granted, want 60", granted)
	}
}

func TestOutage(t *testing.T) {
	for name, broken := range map[string]bool{"refused connections": true, "no answers": false} {
		t.Run(name, func(t *testing.T) { testOutage(t, broken) })
	}
}

func testOutage(t *testing.T, broken bool) {
	deployment := name()
	first, cable := newClient(t)
	second, _ := newClient(t)
	one, two := newReplica(t, first, deployment), newReplica(t, second, deployment)
	start := time.Now()
	more := func() int { return int(time.Since(start).Seconds()) + 1 }
	if granted := spend(t, "before", one); granted < 60 || granted > 60+more() {
		t.Fatalf("%d calls were granted, want 60", granted)
	}

	cable.set(broken, !broken)
	if granted := spend(t, "before", one); granted > more() {
		t.Errorf("%d calls were granted although the bucket was empty", granted)
	}
	for range 3 {
		// A call is decided in any case, and only the first one waits.
		began := time.Now()
		one.Take(t.Context(), "during", ratelimit.Writes, 20)
		if took := time.Since(began); took > time.Second {
			t.Errorf("a call took %v", took)
		}
	}
	if one.Take(t.Context(), "during", ratelimit.Writes, 20).Granted {
		t.Error("there is no limit during the outage")
	}
	if one.Stats().Fallbacks < 4 {
		t.Errorf("stats are %+v", one.Stats())
	}

	cable.set(false, false)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); ; <-tick.C {
		before := one.Stats().Fallbacks
		one.Take(t.Context(), "again", ratelimit.Writes, 1)
		if one.Stats().Fallbacks == before {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the limits are not shared again")
		}
	}
	spend(t, "after", two)
	if one.Take(t.Context(), "after", ratelimit.Writes, 30).Granted {
		t.Error("the replica does not know what the other one granted")
	}
}
