package redislimit_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
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
	if a := ask(t, s, hourly, ratelimit.Ask{Cost: 3599}); !a.Granted || a.Ahead != 0 {
		t.Fatalf("the first call: %+v", a)
	}
	if a := ask(t, s, hourly, ratelimit.Ask{Cost: 1}); !a.Granted || a.Level < 0 || a.Level > 5e9 {
		t.Errorf("the last unit: %+v", a)
	}
	if a := ask(t, s, hourly, ratelimit.Ask{Cost: 60}); a.Granted {
		t.Errorf("an empty bucket: %+v", a)
	}
	// Another area, another client and another deployment have buckets of their own.
	if a, err := s.Take(t.Context(), "erp", ratelimit.Reads, hourly, ratelimit.Ask{Cost: 60}); err != nil || !a.Granted {
		t.Errorf("another area: %+v, %v", a, err)
	}
	if a, err := s.Take(t.Context(), "e{r}p", ratelimit.Writes, hourly, ratelimit.Ask{Cost: 60}); err != nil || !a.Granted {
		t.Errorf("another client: %+v, %v", a, err)
	}
	if a := ask(t, newStore(t), hourly, ratelimit.Ask{Cost: 60}); !a.Granted {
		t.Errorf("another deployment: %+v", a)
	}
}

func TestCostBeyondTheBucketIsADebt(t *testing.T) {
	s := newStore(t)
	first := ask(t, s, hourly, ratelimit.Ask{Cost: 5000, Ahead: 7})
	if !first.Granted || first.Ahead != 0 || first.Level != -1400e9 {
		t.Errorf("a full bucket: %+v", first)
	}
	if a := ask(t, s, hourly, ratelimit.Ask{Cost: 1}); a.Granted || a.Level > -1390e9 {
		t.Errorf("in debt: %+v", a)
	}
}

func TestUnitsArePutBackUnlessTheBucketWasFull(t *testing.T) {
	client, _ := newClient(t)
	deployment := name()
	s := redislimit.New(client, deployment)
	first := ask(t, s, hourly, ratelimit.Ask{Cost: 1600, Ahead: 1000})
	if second := ask(t, s, hourly, ratelimit.Ask{Cost: 1, Back: 400, From: first.Time}); second.Level < 1399e9 || second.Level > 1404e9 {
		t.Errorf("400 of 1000 come back: %+v", second)
	}
	if later := ask(t, s, hourly, ratelimit.Ask{Cost: 1, Back: 400, From: first.Time - 1}); later.Level > 1403e9 {
		t.Errorf("the bucket was full since: %+v", later)
	}
	// The key of a full bucket has ended.
	if err := client.Del(t.Context(), deployment+":limit:{erp}:w").Err(); err != nil {
		t.Fatal(err)
	}
	ask(t, s, hourly, ratelimit.Ask{Cost: 3000})
	if later := ask(t, s, hourly, ratelimit.Ask{Cost: 1, Back: 400, From: first.Time}); later.Level > 604e9 {
		t.Errorf("the bucket was full since: %+v", later)
	}
}

func TestAheadIsAtMostHalfOfWhatIsLeft(t *testing.T) {
	s := newStore(t)
	if a := ask(t, s, hourly, ratelimit.Ask{Cost: 600, Ahead: 1000}); a.Ahead != 1000 || a.Level != 2000e9 {
		t.Errorf("plenty is left: %+v", a)
	}
	if a := ask(t, s, hourly, ratelimit.Ask{Cost: 500, Ahead: 2000}); a.Ahead != 750 {
		t.Errorf("little is left: %+v", a)
	}
}

func TestKeyEndsWhenTheBucketIsFull(t *testing.T) {
	client, _ := newClient(t)
	deployment := name()
	s := redislimit.New(client, deployment)
	ask(t, s, hourly, ratelimit.Ask{Cost: 60})
	ttl, err := client.PTTL(t.Context(), deployment+":limit:{erp}:w").Result()
	if err != nil || ttl > time.Minute || ttl < 30*time.Second {
		t.Errorf("the key lives %v, %v; want a minute", ttl, err)
	}
}

// TestClockThatWasSetBack is a failover to a Redis whose clock is behind: the level holds.
func TestClockThatWasSetBack(t *testing.T) {
	client, _ := newClient(t)
	deployment := name()
	s := redislimit.New(client, deployment)
	for value, want := range map[string]bool{
		"1000000|9000000000000000|9000000000000000":  true,
		"999999|9000000000000000|9000000000000000":   false,
		"-1000000|9000000000000000|9000000000000000": false,
		"what is this": true,
	} {
		if err := client.Set(t.Context(), deployment+":limit:{erp}:w", value, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		if a := ask(t, s, hourly, ratelimit.Ask{Cost: 1}); a.Granted != want {
			t.Errorf("%s: %+v, want granted %v", value, a, want)
		}
	}
}

// grant is what a call got, and the times between which that was decided.
type grant struct {
	from, to time.Time
	units    int
}

// TestNeverMoreThanTheRate has many callers take as much as they get. In no interval may that be more
// than a bucket and what came in meanwhile, and at the end nothing may have been lost either.
func TestNeverMoreThanTheRate(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 5 {
		limit := ratelimit.Limit{Rate: 1 + random.IntN(5000), Burst: time.Second}
		s := newStore(t)
		ask(t, s, limit, ratelimit.Ask{}) // makes the connection
		start := time.Now()
		grants := race(t, s, limit, 8, 100)

		slices.SortFunc(grants, func(a, b grant) int { return cmp.Or(a.to.Compare(b.to), a.units-b.units) })
		for _, first := range grants {
			sum := 0
			for _, g := range grants {
				if g.from.Before(first.from) {
					continue
				}
				sum += g.units
				if most := float64(limit.Quota()) + g.to.Sub(first.from).Seconds()*float64(limit.Rate); float64(sum) > most+1 {
					t.Fatalf("%+v: %d units in %v", limit, sum, g.to.Sub(first.from))
				}
			}
		}
		total := 0
		for _, g := range grants {
			total += g.units
		}
		left := float64(ask(t, s, limit, ratelimit.Ask{}).Level) / 1e9
		if most := float64(limit.Quota()) + time.Since(start).Seconds()*float64(limit.Rate); float64(total)+left > most+1 {
			t.Errorf("%+v: %d units were taken and %.0f are left of %.0f", limit, total, left, most)
		}
		if total < limit.Quota()/2 {
			t.Errorf("%+v: only %d units were had", limit, total)
		}
	}
}

// race lets callers take units at random until each has made its calls.
func race(t *testing.T, s *redislimit.Store, l ratelimit.Limit, callers, calls int) []grant {
	t.Helper()
	var mu sync.Mutex
	var grants []grant
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range calls {
				a := ratelimit.Ask{Cost: 1 + rand.IntN(max(1, l.Quota()/50)), Ahead: rand.IntN(5)}
				from := time.Now()
				got, err := s.Take(t.Context(), "erp", ratelimit.Writes, l, a)
				to := time.Now()
				if err != nil {
					t.Error(err)
					return
				}
				if got.Granted {
					mu.Lock()
					grants = append(grants, grant{from, to, a.Cost + got.Ahead})
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return grants
}
