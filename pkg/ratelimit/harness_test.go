package ratelimit_test

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/hub/pkg/ratelimit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hands is a clock that a test moves.
type hands struct{ now time.Time }

func (h *hands) clock() time.Time        { return h.now }
func (h *hands) advance(d time.Duration) { h.now = h.now.Add(d) }

// newLocal makes a limiter without shared buckets.
func newLocal(c ratelimit.Config) (*ratelimit.Limiter, *hands) {
	h := &hands{now: time.Unix(1_900_000_000, 0)}
	return ratelimit.New(c, ratelimit.Deps{Clock: h.clock}), h
}

// write takes n units of a client's writes.
func write(t *testing.T, l *ratelimit.Limiter, client string, n int) ratelimit.Result {
	t.Helper()
	return l.Take(t.Context(), client, ratelimit.Writes, n)
}

func wantGranted(t *testing.T, r ratelimit.Result, want bool) {
	t.Helper()
	if r.Granted != want {
		t.Fatalf("granted is %v, want %v: %+v", r.Granted, want, r)
	}
}

var errAway = errors.New("the buckets are away")

// central keeps buckets in fractions, by the clock of the process, in place of Redis.
type central struct {
	mu   sync.Mutex
	asks int
	// away makes every call fail; slow makes it wait first, or until its context ends.
	away bool
	slow time.Duration

	levels        map[string]*big.Rat
	times, filled map[string]time.Time
}

func newCentral() *central {
	return &central{levels: map[string]*big.Rat{}, times: map[string]time.Time{}, filled: map[string]time.Time{}}
}

func (c *central) Take(ctx context.Context, client string, area ratelimit.Area, l ratelimit.Limit, ask ratelimit.Ask) (ratelimit.Answer, error) {
	c.mu.Lock()
	c.asks++
	slow := c.slow
	c.mu.Unlock()
	select {
	case <-ctx.Done():
		return ratelimit.Answer{}, ctx.Err()
	case <-time.After(slow):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away {
		return ratelimit.Answer{}, errAway
	}
	k, now, full := client+area.String(), time.Now(), big.NewRat(int64(l.Quota()), 1)
	level := c.levels[k]
	if level == nil {
		level = new(big.Rat).Set(full)
	} else {
		level.Add(level, big.NewRat(int64(now.Sub(c.times[k]))*int64(l.Rate), 1e9))
	}
	if level.Cmp(full) >= 0 {
		c.filled[k] = now
	}
	if ask.From >= c.filled[k].UnixNano() {
		level.Add(level, big.NewRat(int64(ask.Back), 1))
	}
	if level.Cmp(full) > 0 {
		level.Set(full)
	}
	a := ratelimit.Answer{Time: now.UnixNano()}
	cost := big.NewRat(int64(ask.Cost), 1)
	if level.Cmp(cost) >= 0 || level.Cmp(full) == 0 {
		a.Granted = true
		level.Sub(level, cost)
		if half, _ := level.Float64(); half > 0 {
			a.Ahead = min(ask.Ahead, int(half/2))
		}
		level.Sub(level, big.NewRat(int64(a.Ahead), 1))
	}
	c.levels[k], c.times[k] = level, now
	a.Level = new(big.Int).Quo(new(big.Int).Mul(level.Num(), big.NewInt(1e9)), level.Denom()).Int64()
	return a, nil
}

// fail changes what is wrong.
func (c *central) fail(away bool, slow time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away, c.slow = away, slow
}

func (c *central) asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asks
}

// newReplica makes a limiter on shared buckets. It runs until the test is over.
func newReplica(t *testing.T, c ratelimit.Config, shared ratelimit.Shared) *ratelimit.Limiter {
	t.Helper()
	l := ratelimit.New(c, ratelimit.Deps{Shared: shared, Logger: slog.New(slog.DiscardHandler)})
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
