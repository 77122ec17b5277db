package ratelimit_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
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
			hands.advance(r.RetryAfter - 1)
			wantGranted(t, write(t, l, "erp", 1), false)
			hands.advance(1)
			wantGranted(t, write(t, l, "erp", 1), true)
			wantGranted(t, write(t, l, "erp", 1), false)

			// However long nothing was taken, there is never more than a bucket.
			hands.advance(time.Hour)
			wantGranted(t, write(t, l, "erp", 3*rate), true)
			wantGranted(t, write(t, l, "erp", 1), false)
		})
	}
}

func TestCostBeyondTheBucketIsADebt(t *testing.T) {
	l, hands := newLocal(ratelimit.Config{Writes: 10, Burst: time.Second})
	wantGranted(t, write(t, l, "erp", 1), true)
	r := write(t, l, "erp", 101)
	wantGranted(t, r, false)
	if r.RetryAfter != 100*time.Millisecond {
		t.Errorf("wait %v, want the time until the bucket is full", r.RetryAfter)
	}
	hands.advance(r.RetryAfter)
	r = write(t, l, "erp", 101)
	wantGranted(t, r, true)
	if r.Remaining != 0 || r.Full != 10100*time.Millisecond {
		t.Errorf("%d remain, full in %v, want 0 and 10.1s", r.Remaining, r.Full)
	}
	r = write(t, l, "erp", 1)
	wantGranted(t, r, false)
	if want := 9200 * time.Millisecond; r.RetryAfter != want {
		t.Errorf("wait %v, want %v", r.RetryAfter, want)
	}
	hands.advance(r.RetryAfter - 1)
	wantGranted(t, write(t, l, "erp", 1), false)
	hands.advance(1)
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
	if err := none.Run(t.Context()); err != nil || none.Stats() != (ratelimit.Stats{}) {
		t.Errorf("a limiter that is none: %v, %+v", err, none.Stats())
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

// TestBucketAgreesWithFractions takes random costs at random times, beside a bucket in fractions.
func TestBucketAgreesWithFractions(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		rate, burst := 1+random.IntN(300), 1+random.IntN(20)
		l, hands := newLocal(ratelimit.Config{Writes: rate, Burst: time.Duration(burst) * time.Second})
		full := big.NewRat(int64(rate*burst), 1)
		level := new(big.Rat).Set(full)
		for range 500 {
			passed := time.Duration(random.Int64N(int64(4 * time.Second / time.Duration(1+random.IntN(rate)))))
			hands.advance(passed)
			level.Add(level, big.NewRat(int64(passed)*int64(rate), 1e9))
			if level.Cmp(full) > 0 {
				level.Set(full)
			}
			n := 1 + random.IntN(2*rate*burst)
			if random.IntN(4) > 0 {
				n = 1 + random.IntN(3)
			}
			cost := big.NewRat(int64(n), 1)
			want := level.Cmp(cost) >= 0 || level.Cmp(full) == 0
			if r := write(t, l, "erp", n); r.Granted != want {
				t.Fatalf("rate %d, burst %d: %d units of %s: %+v", rate, burst, n, level.FloatString(9), r)
			}
			if want {
				level.Sub(level, cost)
			}
		}
	}
}
