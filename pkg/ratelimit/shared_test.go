package ratelimit_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/ratelimit"
)

func TestReplicasShareABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ratelimit.Config{Writes: 10, Burst: time.Second}
		shared := newCentral()
		one, two := newReplica(t, c, shared), newReplica(t, c, shared)
		for range 5 {
			wantGranted(t, write(t, one, "erp", 1), true)
			wantGranted(t, write(t, two, "erp", 1), true)
		}
		wantGranted(t, write(t, one, "erp", 1), false)
		r := write(t, two, "erp", 1)
		wantGranted(t, r, false)
		if r.RetryAfter != 100*time.Millisecond {
			t.Errorf("wait %v, want 100ms", r.RetryAfter)
		}
		<-time.After(r.RetryAfter)
		wantGranted(t, write(t, one, "erp", 1), true)
		wantGranted(t, write(t, two, "erp", 1), false)
	})
}

func TestRefusalsDoNotAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newCentral()
		l := newReplica(t, ratelimit.Config{Writes: 1, Burst: 5 * time.Second}, shared)
		wantGranted(t, write(t, l, "erp", 7), true)
		for range 1000 {
			wantGranted(t, write(t, l, "erp", 1), false)
		}
		if got := shared.asked(); got != 1 {
			t.Errorf("asked %d times, want once", got)
		}
	})
}

// TestBusyClientIsAskedForNowAndThen has two replicas whose calls together stay below the limit: all
// are granted, with few asks.
func TestBusyClientIsAskedForNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newCentral()
		c := ratelimit.Config{Writes: 1000, Burst: 2 * time.Second}
		replicas := []*ratelimit.Limiter{newReplica(t, c, shared), newReplica(t, c, shared)}
		const calls = 5000
		for i := range calls {
			wantGranted(t, write(t, replicas[i%2], "erp", 1), true)
			<-time.After(1100 * time.Microsecond)
		}
		// Once in 20 ms and replica.
		if limit := 2 * calls * 1100 / 20_000 * 5 / 4; shared.asked() > limit {
			t.Errorf("asked %d times for %d calls, want at most %d", shared.asked(), calls, limit)
		}
	})
}

// TestUnitsAheadAreNotLost has a client that makes some calls at once and then none for a while: what
// was taken ahead and not used must not count against it.
func TestUnitsAheadAreNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newReplica(t, ratelimit.Config{Writes: 10, Burst: 10 * time.Second}, newCentral())
		for range 20 {
			for range 5 {
				wantGranted(t, write(t, l, "erp", 1), true)
			}
			<-time.After(time.Second)
		}
		wantGranted(t, write(t, l, "erp", 99), true)
	})
}

// TestUnitsAheadGoBackWhenTheBucketsAreAway has units ahead that ran out before the outage.
func TestUnitsAheadGoBackWhenTheBucketsAreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newCentral()
		l := newReplica(t, ratelimit.Config{Writes: 100, Burst: time.Second}, shared)
		for range 50 {
			wantGranted(t, write(t, l, "erp", 1), true)
			<-time.After(time.Millisecond)
		}
		shared.fail(true, 0)
		<-time.After(5 * time.Second)
		for want := range 100 {
			r := write(t, l, "erp", 1)
			wantGranted(t, r, true)
			if r.Remaining != 99-want {
				t.Fatalf("%d units remain after %d of 100", r.Remaining, want+1)
			}
		}
		if r := write(t, l, "erp", 1); r.Granted || r.RetryAfter != 10*time.Millisecond {
			t.Errorf("got %+v, want a refusal for 10 ms", r)
		}
	})
}

// TestNeverMoreThanTheRate lets replicas take as much as they get, at random times and costs. In no
// interval may they get more than a bucket and what came in meanwhile; units that were taken ahead
// count 100 ms later at most.
func TestNeverMoreThanTheRate(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			c := ratelimit.Config{Writes: 1 + random.IntN(500), Burst: time.Duration(1+random.IntN(3)) * time.Second}
			limit := ratelimit.Limit{Rate: c.Writes, Burst: c.Burst}
			shared := newCentral()
			replicas := []*ratelimit.Limiter{newReplica(t, c, shared), newReplica(t, c, shared), newReplica(t, c, shared)}
			type grant struct {
				at   time.Time
				cost int
			}
			var grants []grant
			for i := range 800 {
				n := 1
				if random.IntN(10) == 0 {
					n += random.IntN(limit.Quota())
				}
				if write(t, replicas[random.IntN(3)], "erp", n).Granted {
					grants = append(grants, grant{time.Now(), n})
				}
				switch random.IntN(100) {
				case 0: // the bucket fills
					<-time.After(c.Burst)
				default: // in a rush at first
					<-time.After(time.Duration(random.Int64N(int64(2*time.Second)/int64(limit.Rate))) * time.Duration(i%100) / 100)
				}
			}
			for i := range grants {
				sum := 0
				for _, g := range grants[i:] {
					sum += g.cost
					passed := (g.at.Sub(grants[i].at) + 100*time.Millisecond).Seconds()
					if most := float64(limit.Quota()) + passed*float64(limit.Rate); float64(sum) > most+1e-6 {
						t.Fatalf("%+v: %d units in %v", limit, sum, g.at.Sub(grants[i].at))
					}
				}
			}
		})
	}
}

// TestClientOverItsLimitGetsAllOfIt has three replicas that a client calls twice as often as it may.
func TestClientOverItsLimitGetsAllOfIt(t *testing.T) {
	for _, rate := range []int{5, 50, 500} {
		synctest.Test(t, func(t *testing.T) {
			c := ratelimit.Config{Writes: rate, Burst: time.Second}
			shared := newCentral()
			replicas := []*ratelimit.Limiter{newReplica(t, c, shared), newReplica(t, c, shared), newReplica(t, c, shared)}
			granted, start := 0, time.Now()
			for i := range 40 * rate {
				if write(t, replicas[i%3], "erp", 1).Granted {
					granted++
				}
				<-time.After(time.Second / time.Duration(2*rate))
			}
			// What may be missing is what the replicas hold at the end.
			most := rate + int(time.Since(start).Seconds()*float64(rate))
			if least := most - 3*(1+rate/8); granted < least || granted > most {
				t.Errorf("%d a second: granted %d, want %d to %d", rate, granted, least, most)
			}
		})
	}
}

func TestWithoutSharedBucketsEachReplicaHasItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ratelimit.Config{Writes: 1, Burst: 10 * time.Second}
		shared := newCentral()
		one, two := newReplica(t, c, shared), newReplica(t, c, shared)
		for range 3 {
			wantGranted(t, write(t, one, "erp", 1), true)
			wantGranted(t, write(t, two, "erp", 1), true)
			<-time.After(30 * time.Millisecond) // so slowly that nothing is taken ahead
		}

		shared.fail(true, 0)
		asked := shared.asked()
		// What a replica last knew is what it goes on with: five and four.
		for range 5 {
			wantGranted(t, write(t, one, "erp", 1), true)
		}
		wantGranted(t, write(t, one, "erp", 1), false)
		for range 4 {
			wantGranted(t, write(t, two, "erp", 1), true)
		}
		wantGranted(t, write(t, two, "erp", 1), false)
		if got := shared.asked() - asked; got != 2 {
			t.Errorf("asked %d times while away, want once a replica", got)
		}
		if s := one.Stats(); s.Fallbacks != 6 {
			t.Errorf("%d fallbacks, want 6", s.Fallbacks)
		}

		// Then there is a probe in about a second from each, whatever the calls do.
		asked = shared.asked()
		for range 1000 {
			write(t, one, "erp", 1)
			write(t, two, "erp", 1)
			<-time.After(10 * time.Millisecond)
		}
		if probes := shared.asked() - asked; probes < 10 || probes > 40 {
			t.Errorf("%d probes of two replicas in 10 s", probes)
		}

		shared.fail(false, 0)
		<-time.After(2 * time.Second)
		before := one.Stats().Fallbacks + two.Stats().Fallbacks
		granted := 0
		for range 20 {
			if write(t, one, "erp", 1).Granted {
				granted++
			}
			if write(t, two, "erp", 1).Granted {
				granted++
			}
		}
		if after := one.Stats().Fallbacks + two.Stats().Fallbacks; after != before || granted == 0 || granted > 10 {
			t.Errorf("%d of 10 units and %d fallbacks after the outage", granted, after-before)
		}
	})
}

func TestCallsWaitOnceForBucketsThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newCentral()
		shared.fail(false, time.Hour)
		l := newReplica(t, ratelimit.Config{Writes: 100, Burst: time.Second}, shared)
		start := time.Now()
		for range 100 {
			wantGranted(t, write(t, l, "erp", 1), true)
		}
		if took := time.Since(start); took != 50*time.Millisecond {
			t.Errorf("100 calls took %v, want 50ms", took)
		}
		// A probe may take longer, since nobody waits for it.
		shared.fail(false, 900*time.Millisecond)
		<-time.After(4 * time.Second)
		shared.fail(false, 0)
		before := l.Stats().Fallbacks
		wantGranted(t, write(t, l, "erp", 1), true)
		if after := l.Stats().Fallbacks; after != before {
			t.Error("the limiter did not come back")
		}
	})
}

// TestCallsThatWaitAreAskedForAtOnce has buckets that are far away, and many calls of one client. It
// runs in real time, since the calls wait for a mutex.
func TestCallsThatWaitAreAskedForAtOnce(t *testing.T) {
	shared := newCentral()
	shared.fail(false, 20*time.Millisecond)
	l := newReplica(t, ratelimit.Config{Writes: 1000, Burst: time.Second}, shared)
	var calls sync.WaitGroup
	for range 100 {
		calls.Go(func() { l.Take(t.Context(), "erp", ratelimit.Writes, 1) })
	}
	calls.Wait()
	if got := shared.asked(); got > 20 {
		t.Errorf("asked %d times for 100 calls at once", got)
	}
}

func TestCallerWhoIsGoneIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newCentral()
		shared.fail(false, time.Millisecond)
		l := newReplica(t, ratelimit.Config{Writes: 1, Burst: time.Second}, shared)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		wantGranted(t, l.Take(gone, "erp", ratelimit.Writes, 1), true)
		if s := l.Stats(); s.Fallbacks != 0 {
			t.Errorf("%d fallbacks", s.Fallbacks)
		}
	})
}
