package ratelimit_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/time/rate"

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

// central is shared buckets that can go wrong; they decide by the clock of the process.
type central struct {
	mu   sync.Mutex
	asks int
	// away makes every call fail; slow makes it wait first, or until its context ends.
	away bool
	slow time.Duration

	buckets map[string]*rate.Limiter
}

func newCentral() *central { return &central{buckets: map[string]*rate.Limiter{}} }

func (c *central) Take(ctx context.Context, client string, area ratelimit.Area, l ratelimit.Limit, cost int) (ratelimit.Taken, error) {
	c.mu.Lock()
	c.asks++
	slow := c.slow
	c.mu.Unlock()
	select {
	case <-ctx.Done():
		return ratelimit.Taken{}, ctx.Err()
	case <-time.After(slow):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away {
		return ratelimit.Taken{}, errAway
	}
	k := client + area.String()
	if c.buckets[k] == nil {
		c.buckets[k] = rate.NewLimiter(rate.Limit(l.Rate), l.Quota())
	}
	now, b := time.Now(), c.buckets[k]
	granted := b.AllowN(now, cost)
	left := b.TokensAt(now)
	fills := func(units float64) time.Duration {
		return time.Duration(units / float64(l.Rate) * float64(time.Second))
	}
	return ratelimit.Taken{Granted: granted, Full: fills(float64(l.Quota()) - left), RetryAfter: fills(max(float64(cost)-left, 0))}, nil
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

// newReplica makes a limiter on shared buckets.
func newReplica(c ratelimit.Config, shared ratelimit.Shared) *ratelimit.Limiter {
	return ratelimit.New(c, ratelimit.Deps{Shared: shared, Logger: slog.New(slog.DiscardHandler)})
}
