package stream

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
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

// Claim says that a user's stream is at this edge. Of a user's claims the one with the highest time
// is the newest, and then the one with the highest stream.
type Claim struct {
	User string
	// Stream is a random number that no other stream has; not 0.
	Stream uint64
	// Time is when the stream began, in microseconds since 1970 by the clock that all replicas share,
	// as long as there is one.
	Time int64
	// Age is how long ago the stream began, for a claim that has no time yet.
	Age time.Duration
	// After is the stream that this one replaced at its own edge, if others may know that one's claim;
	// otherwise 0. The claim is newer than that one, whatever the clocks say.
	After uint64
	// Replaced is how often the user's stream was replaced in the last two minutes or so.
	Replaced int
}

// newer tells whether c is a newer stream than d of the same user.
func (c Claim) newer(d Claim) bool {
	return cmp.Or(cmp.Compare(c.Time, d.Time), cmp.Compare(c.Stream, d.Stream)) > 0
}

// Claims keeps one stream per user across replicas (contract, Connection rules 1). Its calls take
// claims of different users and are best made in batches; each claim is decided for itself.
type Claims interface {
	// Claim turns each claim into the one that holds its user from now on: itself with a time, or a
	// newer one. What could not be decided keeps the time 0, and the error says why.
	Claim(ctx context.Context, claims []Claim) error
	// Reconcile renews claims, which run out otherwise. Each turns into the one that holds its user,
	// which is itself unless there is a newer one. What could not be decided stays as it is.
	Reconcile(ctx context.Context, claims []Claim) error
	// Release gives claims up, where they still hold.
	Release(ctx context.Context, claims []Claim) error
	// Subscribe calls newer for the claims of all replicas, as far as they are heard. It must not
	// block. When cancel returns, newer is not called any more.
	Subscribe(newer func(Claim)) (cancel func())
}

// claim is what a stream knows of its own claim.
type claim struct {
	id      uint64
	time    int64  // the edge's own clock until settled
	settled bool   // time is decided, if only by the edge alone
	asked   bool   // others may know of the claim
	after   uint64 // Claim.After
	rival   *Claim // the newest other claim that was heard while the own one was not settled
}

// claimer takes streams to the other replicas, off the path of requests: a user gets events at once,
// and the older stream elsewhere lasts a moment longer.
type claimer struct {
	wake chan struct{} // capacity 1

	mu       sync.Mutex
	fresh    []*stream
	releases []Claim

	busy sync.Mutex // held while calls are made, so that a release never overtakes its claim
}

func (c *claimer) init() { c.wake = make(chan struct{}, 1) }

func (c *claimer) claim(s *stream) {
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

func (c *claimer) take() (fresh []*stream, releases []Claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh, releases = c.fresh, c.releases
	c.fresh, c.releases = nil, nil
	return fresh, releases
}

// runClaims claims new streams, releases those that ended, and reconciles all within each heartbeat
// interval, until ctx ends.
func (b *Broker) runClaims(ctx context.Context) {
	due := time.NewTimer(b.reconcileStep())
	defer due.Stop()
	for n := 0; ; {
		select {
		case <-b.claims.wake:
			b.settle(ctx)
		case <-due.C:
			b.reconcile(ctx, n)
			n = (n + 1) % shardCount
			due.Reset(b.reconcileStep())
		case <-ctx.Done():
			return
		}
	}
}

// reconcileStep is the pause between two shards. With jitter, and with some room for the calls, all
// of them take less than a heartbeat interval.
func (b *Broker) reconcileStep() time.Duration {
	step := max(1, b.deps.Heartbeat/shardCount)
	return step*7/10 + rand.N(step/5+1)
}

// settle claims and releases what waits. When the others cannot be reached, it does not try every
// batch: what is left is settled by the edge alone, and Reconcile finds out later.
func (b *Broker) settle(ctx context.Context) {
	b.claims.busy.Lock()
	defer b.claims.busy.Unlock()
	fresh, releases := b.claims.take()
	var err error
	for len(fresh) > 0 {
		n := min(len(fresh), maxBatch)
		err = b.claimBatch(ctx, fresh[:n], err)
		fresh = fresh[n:]
	}
	for len(releases) > 0 && err == nil {
		n := min(len(releases), maxBatch)
		err = b.call(ctx, releases[:n], b.deps.Claims.Release)
		releases = releases[n:]
	}
}

// claimBatch claims, unless the batch before failed.
func (b *Broker) claimBatch(ctx context.Context, batch []*stream, failed error) error {
	now := b.deps.Clock().UnixMicro()
	held := make([]*stream, 0, len(batch))
	claims := make([]Claim, 0, len(batch))
	for _, s := range batch {
		own, ok := b.streams.ask(s)
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
		failed = b.call(ctx, claims, b.deps.Claims.Claim)
	}
	for i, s := range held {
		if claims[i].Time == 0 {
			b.claimsFailed.Add(1)
		}
		if rival, lost := b.streams.settle(s, claims[i], b.deps.Clock()); lost {
			b.yield(s, rival)
		}
	}
	return failed
}

// reconcile renews the claims of a shard's streams and ends the streams that are not the newest.
func (b *Broker) reconcile(ctx context.Context, n int) {
	b.claims.busy.Lock()
	defer b.claims.busy.Unlock()
	held, claims := b.streams.settled(n)
	for len(held) > 0 {
		k := min(len(held), maxBatch)
		mine := append([]Claim(nil), claims[:k]...)
		err := b.call(ctx, claims[:k], b.deps.Claims.Reconcile)
		for i, s := range held[:k] {
			switch got := claims[i]; {
			case got.Stream == mine[i].Stream:
				b.streams.adopt(s, got.Time)
			case got.newer(mine[i]):
				b.yield(s, got)
			}
		}
		if err != nil {
			return
		}
		held, claims = held[k:], claims[k:]
	}
}

// call makes one exchange.
func (b *Broker) call(ctx context.Context, claims []Claim, do func(context.Context, []Claim) error) error {
	limited, cancel := context.WithTimeout(ctx, claimTimeout)
	defer cancel()
	err := do(limited, claims)
	if ctx.Err() != nil {
		return err
	}
	switch was := b.claimsAway.Swap(err != nil); {
	case err != nil && !was:
		b.deps.Logger.WarnContext(ctx, "streams of other replicas are not known", slog.Any("error", err))
	case err == nil && was:
		b.deps.Logger.InfoContext(ctx, "streams of other replicas are known again")
	}
	return err
}

// heardClaim is called for the claims of all replicas.
func (b *Broker) heardClaim(c Claim) {
	if s := b.streams.challenge(c); s != nil {
		b.yield(s, c)
	}
}

// yield ends a stream whose user has a newer one elsewhere.
func (b *Broker) yield(s *stream, to Claim) {
	s.end(b.farewell(stayAway(to.Replaced)), &b.replacedElsewhere)
}
