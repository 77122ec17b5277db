package stream

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxBatch is how many claims go to the other replicas in one exchange, and claimTimeout how long
	// that may take.
	maxBatch     = 256
	claimTimeout = time.Second
	// maxReleases bounds the releases that wait; what is dropped runs out by itself.
	maxReleases = 100_000
)

// claimer takes sessions to the other replicas, off the path of requests: a user gets events at once,
// and the older stream elsewhere lasts a moment longer. It does nothing where there is one replica.
type claimer struct {
	registry *registry
	deps     *Deps
	wake     chan struct{} // capacity 1

	away            atomic.Bool   // the last exchange failed
	failed, yielded atomic.Uint64 // Stats.ClaimsFailed, Stats.ReplacedElsewhere

	mu       sync.Mutex
	fresh    []*session
	releases []Claim

	busy sync.Mutex // held while calls are made, so that a release never overtakes its claim
}

func newClaimer(r *registry, d *Deps) *claimer {
	return &claimer{registry: r, deps: d, wake: make(chan struct{}, 1)}
}

func (c *claimer) claim(s *session) {
	if c.deps.Claims == nil {
		return
	}
	c.mu.Lock()
	c.fresh = append(c.fresh, s)
	c.mu.Unlock()
	c.rouse()
}

func (c *claimer) release(gone Claim) {
	c.mu.Lock()
	if len(c.releases) < maxReleases {
		c.releases = append(c.releases, gone)
	}
	c.mu.Unlock()
	c.rouse()
}

func (c *claimer) rouse() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *claimer) take() (fresh []*session, releases []Claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh, releases = c.fresh, c.releases
	c.fresh, c.releases = nil, nil
	return fresh, releases
}

// run claims new streams, releases those that ended, and reconciles all within each heartbeat
// interval, until ctx ends.
func (c *claimer) run(ctx context.Context) {
	due := time.NewTimer(c.reconcileStep())
	defer due.Stop()
	for n := 0; ; {
		select {
		case <-c.wake:
			c.settle(ctx)
		case <-due.C:
			c.reconcile(ctx, n)
			n = (n + 1) % shardCount
			due.Reset(c.reconcileStep())
		case <-ctx.Done():
			return
		}
	}
}

// reconcileStep is the pause between two shards. With jitter, and with some room for the calls, all
// of them take less than a heartbeat interval.
func (c *claimer) reconcileStep() time.Duration {
	step := max(1, c.deps.Heartbeat/shardCount)
	return step*7/10 + rand.N(step/5+1)
}

// settle claims and releases what waits. When the others cannot be reached, it does not try every
// batch: what is left is settled by the edge alone, and Reconcile finds out later.
func (c *claimer) settle(ctx context.Context) {
	c.busy.Lock()
	defer c.busy.Unlock()
	fresh, releases := c.take()
	var err error
	for len(fresh) > 0 {
		n := min(len(fresh), maxBatch)
		err = c.claimBatch(ctx, fresh[:n], err)
		fresh = fresh[n:]
	}
	for len(releases) > 0 && err == nil {
		n := min(len(releases), maxBatch)
		err = c.call(ctx, releases[:n], c.deps.Claims.Release)
		releases = releases[n:]
	}
}

// claimBatch claims, unless the batch before failed.
func (c *claimer) claimBatch(ctx context.Context, batch []*session, failed error) error {
	now := c.deps.Clock().UnixMicro()
	held := make([]*session, 0, len(batch))
	claims := make([]Claim, 0, len(batch))
	for _, s := range batch {
		own, ok := c.registry.ask(s)
		if !ok {
			continue // it has ended
		}
		held = append(held, s)
		claims = append(claims, Claim{
			User: s.user, Stream: own.id, After: own.after,
			Age: time.Duration(max(0, now-own.time)) * time.Microsecond,
		})
	}
	if len(held) > 0 && failed == nil {
		failed = c.call(ctx, claims, c.deps.Claims.Claim)
	}
	for i, s := range held {
		if claims[i].Time == 0 {
			c.failed.Add(1)
		}
		if rival, lost := c.registry.settle(s, claims[i], c.deps.Clock()); lost {
			c.yield(s, rival)
		}
	}
	return failed
}

// reconcile renews the claims of a shard's streams and ends the streams that are not the newest.
func (c *claimer) reconcile(ctx context.Context, n int) {
	c.busy.Lock()
	defer c.busy.Unlock()
	held, claims := c.registry.settled(n)
	for len(held) > 0 {
		k := min(len(held), maxBatch)
		mine := append([]Claim(nil), claims[:k]...)
		err := c.call(ctx, claims[:k], c.deps.Claims.Reconcile)
		for i, s := range held[:k] {
			switch got := claims[i]; {
			case got.Stream == mine[i].Stream:
				c.registry.adopt(s, got.Time)
			case got.newer(mine[i]):
				c.yield(s, got)
			}
		}
		if err != nil {
			return
		}
		held, claims = held[k:], claims[k:]
	}
}

// call makes one exchange.
func (c *claimer) call(ctx context.Context, claims []Claim, do func(context.Context, []Claim) error) error {
	limited, cancel := context.WithTimeout(ctx, claimTimeout)
	defer cancel()
	err := do(limited, claims)
	if ctx.Err() != nil {
		return err
	}
	switch was := c.away.Swap(err != nil); {
	case err != nil && !was:
		c.deps.Logger.WarnContext(ctx, "streams of other replicas are not known", slog.Any("error", err))
	case err == nil && was:
		c.deps.Logger.InfoContext(ctx, "streams of other replicas are known again")
	}
	return err
}

// heard is called for the claims of all replicas.
func (c *claimer) heard(newer Claim) {
	if s := c.registry.challenge(newer); s != nil {
		c.yield(s, newer)
	}
}

// yield ends a stream whose user has a newer one elsewhere.
func (c *claimer) yield(s *session, to Claim) {
	s.end(stayAway(to.Replaced), c.deps.Clock(), &c.yielded)
}
