package ratelimit

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"example.com/hub/pkg/telemetry"
)

// defaultClients is about 2 MB of buckets.
const defaultClients = 10_000

// Deps are what a Limiter works with; each may be left out.
type Deps struct {
	// Shared keeps the buckets for all replicas. Without it, and while it does not answer, each replica
	// has buckets of its own.
	Shared Shared
	// Clients is the number of clients whose buckets are remembered; 0 means 10,000. The one that was
	// away the longest is forgotten, and its bucket is full when it is back.
	Clients int
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets a line when Shared stops answering and when it does again; nil means slog.Default().
	Logger *slog.Logger
}

// Limiter keeps the buckets of all clients. A nil *Limiter has no limits.
type Limiter struct {
	limits   [areas]Limit
	policies [areas]string
	shared   Shared
	clock    func() time.Time
	logger   *slog.Logger
	// buckets are those of this replica. With Shared they are copies, for when it is away.
	buckets *lru.Cache[key, *rate.Limiter]

	// away is when Shared is tried again after it did not answer, in nanoseconds since 1970; 0 while it
	// answers.
	away atomic.Int64

	refused   [areas]atomic.Uint64
	fallbacks atomic.Uint64
}

type key struct {
	client string
	area   Area
}

// New makes a limiter, or nil when no limit is on. The settings must be valid.
func New(c Config, d Deps) *Limiter {
	if !c.On() {
		return nil
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	buckets, err := lru.New[key, *rate.Limiter](areas * cmp.Or(d.Clients, defaultClients))
	if err != nil {
		panic(err) // only for a size below 1
	}
	limits := c.limits()
	return &Limiter{
		limits:   limits,
		policies: [areas]string{Writes: policy(Writes, limits[Writes]), Reads: policy(Reads, limits[Reads])},
		shared:   d.Shared,
		clock:    d.Clock,
		logger:   cmp.Or(d.Logger, slog.Default()),
		buckets:  buckets,
	}
}

// Take takes a call's units from a client's bucket; a call never costs more than a full one. It answers
// in any case: when the shared buckets do not answer within 50 ms, by the bucket of this replica.
func (l *Limiter) Take(ctx context.Context, client string, area Area, cost int) Result {
	if l == nil || l.limits[area].Rate == 0 {
		return Result{Granted: true}
	}
	limit := l.limits[area]
	t := l.decide(ctx, key{client, area}, limit, min(cost, limit.Quota()))
	r := Result{
		Granted:   t.Granted,
		Area:      area,
		Limit:     limit,
		Remaining: limit.left(t.Full),
		Full:      t.Full,
		policy:    l.policies[area],
	}
	if !t.Granted {
		l.refused[area].Add(1)
		r.RetryAfter = max(t.RetryAfter, 1)
	}
	return r
}

func (l *Limiter) decide(ctx context.Context, k key, limit Limit, cost int) Taken {
	now, own := l.clock(), l.bucket(k, limit)
	if l.shared == nil {
		return take(own, limit, now, cost)
	}
	tryAt := l.away.Load()
	if tryAt != 0 && (now.UnixNano() < tryAt || !l.away.CompareAndSwap(tryAt, now.Add(askAgain).UnixNano())) {
		l.fallbacks.Add(1)
		return take(own, limit, now, cost)
	}
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	t, err := l.shared.Take(asking, k.client, k.area, limit, cost)
	if err != nil {
		l.fallbacks.Add(1)
		if l.away.Swap(l.clock().Add(askAgain).UnixNano()) == 0 {
			l.logger.WarnContext(ctx, "limits hold per replica, since the shared ones do not answer", "cause", err)
		}
		return take(own, limit, now, cost)
	}
	if tryAt != 0 {
		l.away.Store(0)
		l.logger.InfoContext(ctx, "limits are shared again")
	}
	lower(own, now, limit.left(t.Full))
	return t
}

func (l *Limiter) bucket(k key, limit Limit) *rate.Limiter {
	if b, ok := l.buckets.Get(k); ok {
		return b
	}
	b := newBucket(limit)
	if earlier, ok, _ := l.buckets.PeekOrAdd(k, b); ok {
		return earlier
	}
	return b
}

// Stats are counts since New.
type Stats struct {
	// RefusedWrites and RefusedReads are calls over the limit.
	RefusedWrites, RefusedReads uint64
	// Fallbacks are calls that were decided here because the shared buckets did not answer.
	Fallbacks uint64
}

// Stats reads the counters; a nil *Limiter has none.
func (l *Limiter) Stats() Stats {
	if l == nil {
		return Stats{}
	}
	return Stats{
		RefusedWrites: l.refused[Writes].Load(),
		RefusedReads:  l.refused[Reads].Load(),
		Fallbacks:     l.fallbacks.Load(),
	}
}

// Measure adds the metrics, also of a nil *Limiter.
func (l *Limiter) Measure(r *telemetry.Registry) {
	const (
		refused = "hub_limit_refused_total"
		help    = "Calls that were refused because their client was over its limit."
	)
	telemetry.Read(
		r, l.Stats,
		telemetry.Counter(refused, help, func(s Stats) uint64 { return s.RefusedWrites }, "area", Writes.String()),
		telemetry.Counter(refused, help, func(s Stats) uint64 { return s.RefusedReads }, "area", Reads.String()),
		telemetry.Counter("hub_limit_fallbacks_total", "Calls that each replica decided alone, since Redis did not answer.",
			func(s Stats) uint64 { return s.Fallbacks }),
	)
}
