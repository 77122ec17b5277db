package redislimit_test

import (
	"sync"
	"testing"
	"time"

	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/ratelimit/redislimit"
)

// hourly fills so slowly that nothing comes during a test.
var hourly = ratelimit.Limit{Rate: 1, Burst: time.Hour}

func TestBucketIsSpentAndNotMore(t *testing.T) {
	s := newStore(t)
	if a := take(t, s, hourly, 3599); !a.Granted || a.RetryAfter != 0 || a.Full < 3598*time.Second || a.Full > 3599*time.Second {
		t.Fatalf("the first call: %+v", a)
	}
	if a := take(t, s, hourly, 1); !a.Granted || a.Full < 3590*time.Second {
		t.Errorf("the last unit: %+v", a)
	}
	if a := take(t, s, hourly, 60); a.Granted || a.RetryAfter < 50*time.Second || a.RetryAfter > time.Minute {
		t.Errorf("an empty bucket: %+v", a)
	}
	// Another area, another client and another deployment have buckets of their own.
	if a, err := s.Take(t.Context(), "erp", ratelimit.Reads, hourly, 60); err != nil || !a.Granted {
		t.Errorf("another area: %+v, %v", a, err)
	}
	if a, err := s.Take(t.Context(), "e{r}p", ratelimit.Writes, hourly, 60); err != nil || !a.Granted {
		t.Errorf("another client: %+v, %v", a, err)
	}
	if a := take(t, newStore(t), hourly, 60); !a.Granted {
		t.Errorf("another deployment: %+v", a)
	}
}

// TestAFullBucketCanBeTakenAtOnce tries rates whose intervals are no sums of powers of two.
func TestAFullBucketCanBeTakenAtOnce(t *testing.T) {
	for _, rate := range []int{1, 3, 7, 49, 1000, 9_999, 100_000} {
		for _, burst := range []time.Duration{time.Second, 7 * time.Second, 10 * time.Minute} {
			l := ratelimit.Limit{Rate: rate, Burst: burst}
			if a := take(t, newStore(t), l, l.Quota()); !a.Granted {
				t.Errorf("%+v: %+v", l, a)
			}
		}
	}
}

func TestTwoReplicasShareABucket(t *testing.T) {
	deployment := name()
	one, _ := newClient(t)
	two, _ := newClient(t)
	take(t, redislimit.New(one, deployment), hourly, 3000)
	if a := take(t, redislimit.New(two, deployment), hourly, 3000); a.Granted {
		t.Errorf("the other replica: %+v", a)
	}
}

func TestKeyEndsWhenTheBucketIsFull(t *testing.T) {
	client, _ := newClient(t)
	deployment := name()
	take(t, redislimit.New(client, deployment), hourly, 60)
	ttl, err := client.PTTL(t.Context(), "rate:"+deployment+":limit:{erp}:w").Result()
	if err != nil || ttl > time.Minute || ttl < 30*time.Second {
		t.Errorf("the key lives %v, %v; want a minute", ttl, err)
	}
}

// TestNeverMoreThanTheRate has many callers take as much as they get. That may be no more than a bucket
// and what came in meanwhile, and not much less either.
func TestNeverMoreThanTheRate(t *testing.T) {
	limit := ratelimit.Limit{Rate: 300, Burst: time.Second}
	s := newStore(t)
	if _, err := s.Take(t.Context(), "who makes the connection", ratelimit.Writes, limit, 1); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	var mu sync.Mutex
	var granted int
	var last ratelimit.Taken
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			cost := 1 + i%3
			for range 150 {
				a, err := s.Take(t.Context(), "erp", ratelimit.Writes, limit, cost)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if a.Granted {
					granted += cost
				}
				last = a
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	came := time.Since(start).Seconds() * float64(limit.Rate)
	if most := 300 + came; float64(granted) > most+1 {
		t.Errorf("%d units were granted, want at most %.0f", granted, most)
	}
	if last.Full < 900*time.Millisecond && granted < 300 {
		t.Errorf("%d units were granted although there were more: %+v", granted, last)
	}
}
