package ratelimit_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/pkg/ratelimit"
)

func TestBucketIsSpentAtOnceAndFillsAtItsRate(t *testing.T) {
	for _, rate := range []int{1, 3, 7, 1000, 9_999} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			l, hands := newLocal(ratelimit.Config{Writes: rate, Burst: 3 * time.Second})
			for i := range 3 * rate {
				r := write(t, l, "erp", 1)
				if !r.Granted || r.Remaining != 3*rate-i-1 {
					t.Fatalf("call %d: %+v", i, r)
				}
			}
			r := write(t, l, "erp", 1)
			wantGranted(t, r, false)
			if second := (time.Second + time.Duration(rate) - 1) / time.Duration(rate); r.RetryAfter != second || r.Full != 3*time.Second {
				t.Errorf("wait %v and full in %v, want %v and 3s", r.RetryAfter, r.Full, second)
			}
			hands.advance(r.RetryAfter - time.Microsecond)
			wantGranted(t, write(t, l, "erp", 1), false)
			hands.advance(time.Microsecond)
			wantGranted(t, write(t, l, "erp", 1), true)
			wantGranted(t, write(t, l, "erp", 1), false)

			// However long nothing was taken, there is never more than a bucket.
			hands.advance(time.Hour)
			wantGranted(t, write(t, l, "erp", 3*rate), true)
			wantGranted(t, write(t, l, "erp", 1), false)
		})
	}
}

func TestNoCallCostsMoreThanAFullBucket(t *testing.T) {
	l, hands := newLocal(ratelimit.Config{Writes: 10, Burst: time.Second})
	wantGranted(t, write(t, l, "erp", 1), true)
	r := write(t, l, "erp", 101)
	wantGranted(t, r, false)
	if r.RetryAfter != 100*time.Millisecond || r.Remaining != 9 {
		t.Errorf("wait %v with %d left, want the time until the bucket is full", r.RetryAfter, r.Remaining)
	}
	hands.advance(r.RetryAfter)
	r = write(t, l, "erp", 101)
	wantGranted(t, r, true)
	if r.Remaining != 0 || r.Full != time.Second {
		t.Errorf("%d remain, full in %v, want 0 and 1s", r.Remaining, r.Full)
	}
	hands.advance(100 * time.Millisecond)
	wantGranted(t, write(t, l, "erp", 1), true)
}

func TestRefusedCallsCostNothing(t *testing.T) {
	l, hands := newLocal(ratelimit.Config{Writes: 1, Burst: time.Second})
	wantGranted(t, write(t, l, "erp", 1), true)
	for range 100 {
		hands.advance(9 * time.Millisecond)
		wantGranted(t, write(t, l, "erp", 1), false)
	}
	hands.advance(100 * time.Millisecond)
	wantGranted(t, write(t, l, "erp", 1), true)
}

func TestClientsAndAreasHaveBucketsOfTheirOwn(t *testing.T) {
	l, _ := newLocal(ratelimit.Config{Writes: 1, Reads: 2, Burst: time.Second})
	wantGranted(t, write(t, l, "erp", 1), true)
	wantGranted(t, write(t, l, "erp", 1), false)
	wantGranted(t, write(t, l, "crm", 1), true)
	for _, want := range []bool{true, true, false} {
		wantGranted(t, l.Take(t.Context(), "erp", ratelimit.Reads, 1), want)
	}
	if s := l.Stats(); s != (ratelimit.Stats{RefusedWrites: 1, RefusedReads: 1}) {
		t.Errorf("stats are %+v", s)
	}
}

func TestZeroIsNoLimit(t *testing.T) {
	if l := ratelimit.New(ratelimit.Config{Burst: time.Second}, ratelimit.Deps{}); l != nil {
		t.Error("there is a limiter without a limit")
	}
	onlyWrites, _ := newLocal(ratelimit.Config{Writes: 1, Burst: time.Second})
	for name, l := range map[string]*ratelimit.Limiter{"no limiter": nil, "no limit of reads": onlyWrites} {
		for range 100 {
			if r := l.Take(t.Context(), "erp", ratelimit.Reads, 1000); r != (ratelimit.Result{Granted: true}) {
				t.Fatalf("%s: %+v", name, r)
			}
		}
	}
	var none *ratelimit.Limiter
	if none.Stats() != (ratelimit.Stats{}) {
		t.Errorf("a limiter that is none: %+v", none.Stats())
	}
}

func TestClientsAreForgottenWhenThereAreTooMany(t *testing.T) {
	l := ratelimit.New(ratelimit.Config{Writes: 1, Burst: time.Hour / 6}, ratelimit.Deps{Clients: 50})
	for i := range 101 { // two areas have room for 100 buckets
		wantGranted(t, write(t, l, fmt.Sprint(i), 600), true)
	}
	wantGranted(t, write(t, l, "100", 1), false)
	wantGranted(t, write(t, l, "1", 1), false)
	wantGranted(t, write(t, l, "0", 1), true)
}

func TestConcurrentCallsGetNoMoreThanTheBucket(t *testing.T) {
	l, _ := newLocal(ratelimit.Config{Writes: 1000, Burst: 2 * time.Second})
	var granted atomic.Int64
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			for range 500 {
				if l.Take(t.Context(), "erp", ratelimit.Writes, 1).Granted {
					granted.Add(1)
				}
			}
		})
	}
	callers.Wait()
	if got := granted.Load(); got != 2000 {
		t.Errorf("%d calls were granted, want 2000", got)
	}
}
