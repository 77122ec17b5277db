package provider

import (
	"context"
	"sync"
	"time"
)

const (
	// discoverTimeout leaves time for the request that is made with what is found.
	discoverTimeout = 2 * time.Second
	// discoverEvery is how long what was found is taken for current, since a provider may move.
	discoverEvery = 5 * time.Minute
	// A discovery that failed is repeated after firstRetry, then ever later up to lastRetry.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// Cached is what a provider's metadata say, found when it is first asked for. One request at a time looks
// for it. While it is looked for anew, and while the metadata are away, the last value stays in use.
type Cached[T any] struct {
	discover func(ctx context.Context) (T, error)
	clock    func() time.Time

	mu      sync.Mutex
	value   T
	there   bool  // whether value was found
	err     error // of the latest discovery
	due     time.Time
	retry   time.Duration
	looking chan struct{} // closed when the discovery under way ends; nil when none is
}

// NewCached makes a value that discover finds.
func NewCached[T any](discover func(context.Context) (T, error), clock func() time.Time) *Cached[T] {
	return &Cached[T]{discover: discover, clock: clock}
}

// Find gives the value. Only a request without any value waits for the discovery of another one.
func (c *Cached[T]) Find(ctx context.Context) (T, error) {
	c.mu.Lock()
	if c.clock().Before(c.due) || c.looking != nil && c.there {
		defer c.mu.Unlock()
		return c.known()
	}
	looking := c.looking
	if looking == nil {
		c.looking = make(chan struct{})
	}
	c.mu.Unlock()

	if looking == nil {
		c.look(ctx)
	} else {
		select {
		case <-looking:
		case <-ctx.Done():
			var none T
			return none, ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known()
}

// known gives the value that was found last, or else why there is none.
func (c *Cached[T]) known() (T, error) {
	if c.there {
		return c.value, nil
	}
	return c.value, c.err
}

// look discovers the value. Others wait for it, so a caller that goes away does not end it.
func (c *Cached[T]) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discoverTimeout)
	defer cancel()
	value, err := c.discover(ctx)

	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.looking)
	c.looking = nil
	c.err = err
	if err != nil {
		c.retry = min(max(2*c.retry, firstRetry), lastRetry)
		c.due = c.clock().Add(c.retry)
		return
	}
	c.value, c.there, c.retry = value, true, 0
	c.due = c.clock().Add(discoverEvery)
}
