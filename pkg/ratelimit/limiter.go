package ratelimit

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

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
	entries  *lru.Cache[key, *entry]

	// away tells that Shared did not answer; lost then wakes Run.
	away atomic.Bool
	lost chan struct{}

	refused   [areas]atomic.Uint64
	fallbacks atomic.Uint64
}

type key struct {
	client string
	area   Area
}

// entry is a client's bucket in one area. With Shared it is a copy, which lacks what other replicas took
// since, so that what it refuses would be refused there; only the few units that others took ahead and
// put back are not in it until it is asked again.
type entry struct {
	// waiting counts the calls that wait for the lock.
	waiting atomic.Int32

	mu sync.Mutex
	bucket
	ahead ahead
}

// New makes a limiter, or nil when no limit is on. The settings must be valid. With Deps.Shared it
// needs Run.
func New(c Config, d Deps) *Limiter {
	if !c.On() {
		return nil
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	entries, err := lru.New[key, *entry](areas * cmp.Or(d.Clients, defaultClients))
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
		entries:  entries,
		lost:     make(chan struct{}, 1),
	}
}

// Take takes a call's units from a client's bucket. It answers in any case: when the shared buckets do
// not answer within 50 ms, by the bucket of this replica.
func (l *Limiter) Take(ctx context.Context, client string, area Area, cost int) Result {
	if l == nil || l.limits[area].Rate == 0 {
		return Result{Granted: true}
	}
	limit := l.limits[area]
	k := key{client, area}
	e := l.entry(k, limit)
	e.waiting.Add(1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting.Add(-1)
	granted := l.decide(ctx, e, k, limit, cost)
	left := e.level + int64(e.ahead.units)*unit
	r := Result{
		Granted:   granted,
		Area:      area,
		Limit:     limit,
		Remaining: int(max(left, 0) / unit),
		Full:      limit.fills(limit.full() - left),
		policy:    l.policies[area],
	}
	if !granted {
		l.refused[area].Add(1)
		r.RetryAfter = max(limit.fills(limit.needs(cost)-left), 1)
	}
	return r
}

func (l *Limiter) entry(k key, limit Limit) *entry {
	if e, ok := l.entries.Get(k); ok {
		return e
	}
	e := &entry{bucket: bucket{level: limit.full(), at: l.clock()}}
	if earlier, ok, _ := l.entries.PeekOrAdd(k, e); ok {
		return earlier
	}
	return e
}

// decide has the lock of e. Calls of one client wait there for the answer that is under way; the next
// one of them asks for all.
func (l *Limiter) decide(ctx context.Context, e *entry, k key, limit Limit, cost int) bool {
	now := l.clock()
	if l.shared == nil {
		return e.take(limit, now, cost)
	}
	if e.ahead.covers(cost, now) {
		e.ahead.units -= cost
		e.ahead.used += cost
		return true
	}
	if l.away.Load() {
		l.fallbacks.Add(1)
		return e.alone(limit, now, cost)
	}
	e.refill(limit, now)
	if e.level+int64(e.ahead.units)*unit < limit.needs(cost) {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer cancel()
	answer, err := l.shared.Take(ctx, k.client, k.area, limit, Ask{
		Cost: cost, Ahead: e.ahead.next(limit, now, int(e.waiting.Load())), Back: e.ahead.units, From: e.ahead.from,
	})
	if err != nil {
		l.lose(ctx, err)
		l.fallbacks.Add(1)
		return e.alone(limit, now, cost)
	}
	e.level, e.at = answer.Level, now
	e.ahead = ahead{units: answer.Ahead, from: answer.Time, until: now.Add(aheadLife), asked: now}
	if answer.Granted {
		e.ahead.used = cost
	}
	return answer.Granted
}

// alone decides by this replica's bucket, into which the units go back that it took ahead.
func (e *entry) alone(limit Limit, now time.Time, cost int) bool {
	e.refill(limit, now)
	e.level = min(e.level+int64(e.ahead.units)*unit, limit.full())
	e.ahead = ahead{}
	return e.take(limit, now, cost)
}

// lose notes that the shared buckets do not answer.
func (l *Limiter) lose(ctx context.Context, err error) {
	if l.away.Swap(true) {
		return
	}
	l.logger.WarnContext(ctx, "limits hold per replica, since the shared ones do not answer", "cause", err)
	select {
	case l.lost <- struct{}{}:
	default:
	}
}

// Run finds out when the shared buckets answer again, until ctx ends. No call waits for that, and
// there is one probe in about a second, however many clients there are. It returns nil.
func (l *Limiter) Run(ctx context.Context) error {
	if l == nil {
		return nil
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.lost:
		}
		for l.away.Load() {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(probeEvery/2 + rand.N(probeEvery)):
			}
			l.probe(ctx)
		}
	}
}

// probe takes nothing from a client that cannot be, which writes as a real call does.
func (l *Limiter) probe(ctx context.Context) {
	limit := l.limits[Writes]
	limit.Rate = max(limit.Rate, l.limits[Reads].Rate)
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if _, err := l.shared.Take(ctx, "", Writes, limit, Ask{}); err != nil {
		return
	}
	l.away.Store(false)
	l.logger.InfoContext(ctx, "limits are shared again")
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
