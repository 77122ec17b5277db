package claim

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// A sample is taken again after sampleEvery, and sooner while the best one is poor.
	sampleEvery = 10 * time.Second
	sampleSoon  = 200 * time.Millisecond
	// good is the round trip of a sample that needs no better one.
	good = 2 * time.Millisecond
	// sampleLife bounds the drift between two clocks that a good sample stays the best for.
	sampleLife = time.Minute
)

// clock tells the time by Redis's clock, as well as the fastest recent round trip allows. Without it
// a stream would seem to begin later the longer its claim took, and a slow claim would beat that of a
// newer stream.
type clock struct {
	mu     sync.Mutex
	offset time.Duration // Redis's clock minus the process's
	spread time.Duration // the round trip of the sample
	taken  time.Time     // when the sample was taken; zero before the first
	tried  time.Time
}

// now gives the time by Redis's clock. It asks Redis now and then; when Redis does not answer, the
// last sample holds, or the process's own clock.
func (c *clock) now(ctx context.Context, client redis.UniversalClient) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.due(time.Now()) {
		c.sample(ctx, client)
	}
	return time.Now().Add(c.offset)
}

func (c *clock) due(now time.Time) bool {
	since := now.Sub(c.tried)
	return c.tried.IsZero() || since >= sampleEvery || since >= sampleSoon && (c.taken.IsZero() || c.spread > good)
}

func (c *clock) sample(ctx context.Context, client redis.UniversalClient) {
	before := time.Now()
	c.tried = before
	there, err := client.Time(ctx).Result()
	if err != nil {
		return
	}
	after := time.Now()
	c.adopt(there, before, after)
}

// adopt takes a sample over if it is better than the one before, or that one is old.
func (c *clock) adopt(there, before, after time.Time) {
	spread := after.Sub(before)
	if !c.taken.IsZero() && spread > c.spread && after.Sub(c.taken) < sampleLife {
		return
	}
	c.offset = there.Sub(before.Add(spread / 2))
	c.spread, c.taken = spread, after
}
