package ratelimit_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/ratelimit"
)

func TestReplicasShareABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ratelimit.Config{Writes: 10, Burst: time.Second}
		shared := newCentral()
		one, two := newReplica(c, shared), newReplica(c, shared)
		for range 5 {
			wantGranted(t, write(t, one, "erp", 1), true)
			wantGranted(t, write(t, two, "erp", 1), true)
		}
		wantGranted(t, write(t, one, "erp", 1), false)
		r := write(t, two, "erp", 1)
		wantGranted(t, r, false)
		if r.RetryAfter != 100*time.Millisecond || r.Remaining != 0 {
			t.Errorf("wait %v with %d units left, want 100ms with none", r.RetryAfter, r.Remaining)
		}
		<-time.After(r.RetryAfter)
		wantGranted(t, write(t, one, "erp", 1), true)
		wantGranted(t, write(t, two, "erp", 1), false)
	})
}

func TestWithoutSharedBucketsEachReplicaHasItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ratelimit.Config{Writes: 1, Burst: 10 * time.Second}
		shared := newCentral()
		one, two := newReplica(c, shared), newReplica(c, shared)
		for range 3 {
			wantGranted(t, write(t, one, "erp", 1), true)
			wantGranted(t, write(t, two, "erp", 1), true)
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

		// Then one call in a second tries, of each replica.
		asked = shared.asked()
		for range 1000 {
			write(t, one, "erp", 1)
			write(t, two, "erp", 1)
			<-time.After(10 * time.Millisecond)
		}
		if tries := shared.asked() - asked; tries < 18 || tries > 20 {
			t.Errorf("%d tries of two replicas in 10 s", tries)
		}

		shared.fail(false, 0)
		<-time.After(time.Second)
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
		if after := one.Stats().Fallbacks + two.Stats().Fallbacks; after != before || granted != 10 {
			t.Errorf("%d of 10 units and %d fallbacks after the outage", granted, after-before)
		}
	})
}

func TestCallsWaitOnceForBucketsThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newCentral()
		shared.fail(false, time.Hour)
		l := newReplica(ratelimit.Config{Writes: 100, Burst: time.Second}, shared)
		start := time.Now()
		for range 100 {
			wantGranted(t, write(t, l, "erp", 1), true)
		}
		if took := time.Since(start); took != 50*time.Millisecond {
			t.Errorf("100 calls took %v, want 50ms", took)
		}
	})
}

func TestCallerWhoIsGoneIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := newCentral()
		shared.fail(false, time.Millisecond)
		l := newReplica(ratelimit.Config{Writes: 1, Burst: time.Second}, shared)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		wantGranted(t, l.Take(gone, "erp", ratelimit.Writes, 1), true)
		if s := l.Stats(); s.Fallbacks != 0 {
			t.Errorf("%d fallbacks", s.Fallbacks)
		}
	})
}
