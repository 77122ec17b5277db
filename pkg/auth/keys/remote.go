package keys

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.com/hub/pkg/auth/discovery"
)

const (
	// refreshEvery is how long a set is taken for current, give or take a tenth.
	refreshEvery = 5 * time.Minute
	// unknownEvery bounds what tokens with made-up key ids can make Hub fetch.
	unknownEvery = 30 * time.Second
	// staleAfter ends the trust in the last set when the issuer cannot be reached.
	staleAfter = 24 * time.Hour
	// A fetch that failed is repeated after firstRetry, then ever later up to lastRetry.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	// maxWaiting bounds the calls that wait for a fetch at one time: each may have 64 KiB of its message
	// in memory, and its token may be made up.
	maxWaiting = 128
)

// errTooManyWait is why a token with an unknown key id was not looked at.
var errTooManyWait = errors.New("too many calls wait for the issuer's keys")

// Config says where an issuer publishes its keys.
type Config struct {
	// Issuer is the issuer whose discovery document names the key set.
	Issuer string
	// JWKSURL is the address of the key set; empty means that discovery finds it.
	JWKSURL string
	// Client makes the requests; nil means one of its own without kept connections.
	Client *http.Client
	// Clock is the time for the age of a set; nil means time.Now.
	Clock func() time.Time
	// Logger gets failures and first success; nil means slog.Default().
	Logger *slog.Logger
}

// Remote is the key set of an issuer elsewhere. One goroutine fetches it, at once and then every
// 5 minutes, so that a key that the issuer removed is not trusted for long. A token with an unknown
// key id brings the next fetch forward, at most once in 30 seconds; one with a known key id never
// does. When the issuer is away the last set stays good for 24 hours.
type Remote struct {
	source source
	clock  func() time.Time
	logger *slog.Logger

	started time.Time
	cancel  context.CancelFunc
	ended   chan struct{}
	wake    chan struct{} // holds one; when it is full a fetch comes anyway

	mu        sync.Mutex
	keys      []jose.JSONWebKey
	fetched   time.Time     // when keys were had; zero before the first set
	lastError error         // of the latest fetch
	failures  uint64        // fetches without keys
	demanded  time.Time     // the latest fetch for an unknown key id
	waiting   int           // calls that wait for next
	next      chan struct{} // closed when the fetch that is due or under way ends; nil when none is
}

// NewRemote starts to fetch and does not wait for the first set. Close must be called.
func NewRemote(cfg Config) *Remote {
	ctx, cancel := context.WithCancel(context.Background())
	k := &Remote{
		source: source{issuer: cfg.Issuer, jwksURL: cfg.JWKSURL, client: discovery.NewClient(cfg.Client)},
		clock:  cfg.Clock,
		logger: cfg.Logger,
		cancel: cancel,
		ended:  make(chan struct{}),
		wake:   make(chan struct{}, 1),
	}
	if k.clock == nil {
		k.clock = time.Now
	}
	if k.logger == nil {
		k.logger = slog.Default()
	}
	k.started = k.clock()
	go k.run(ctx)
	return k
}

// Close ends a running fetch and the goroutine. Keys that were had stay usable.
func (k *Remote) Close() {
	k.cancel()
	<-k.ended
}

// Ready tells why tokens cannot be checked: a fault of kind Unavailable before the first set, after
// one without a usable key, and when the last one is older than 24 hours.
func (k *Remote) Ready(context.Context) error {
	_, err := k.current()
	return err
}

// VerifySignature implements oidc.KeySet. Its error is a fault of kind Unavailable when Ready fails.
func (k *Remote) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	keys, err := k.current()
	if err != nil {
		return nil, err
	}
	payload, err := verifySignature(keys, jwt)
	if !errors.Is(err, errUnknownKey) {
		return payload, err
	}
	if err := k.fetchForUnknown(ctx); err != nil {
		return nil, err
	}
	if keys, err = k.current(); err != nil {
		return nil, err
	}
	return verifySignature(keys, jwt)
}

func (k *Remote) current() ([]jose.JSONWebKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.keys) == 0 || k.clock().Sub(k.fetched) > staleAfter {
		return nil, missing(k.lastError)
	}
	return k.keys, nil
}

// fetchForUnknown waits for a fetch that is under way or, if the last one for this reason is long
// enough ago, for one that it asks for. The error is errUnknownKey when there is nothing to wait for, and
// a fault of kind Unavailable when too many wait.
func (k *Remote) fetchForUnknown(ctx context.Context) error {
	next, err := k.demand()
	if err != nil {
		return err
	}
	defer k.leave()
	select {
	case <-next:
		return nil
	case <-ctx.Done():
		return missing(ctx.Err())
	case <-k.ended:
		return errUnknownKey
	}
}

// demand gives what is closed at the end of the next fetch, unless none may be asked for yet. Without an
// error the caller waits, until it leaves.
func (k *Remote) demand() (<-chan struct{}, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == nil {
		now := k.clock()
		if now.Sub(k.demanded) < unknownEvery {
			return nil, errUnknownKey
		}
		k.demanded = now
		k.next = make(chan struct{})
		select {
		case k.wake <- struct{}{}:
		default:
		}
	}
	if k.waiting == maxWaiting {
		return nil, missing(errTooManyWait)
	}
	k.waiting++
	return k.next, nil
}

func (k *Remote) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting--
}

// run fetches until ctx ends.
func (k *Remote) run(ctx context.Context) {
	defer close(k.ended)
	timer := time.NewTimer(0)
	defer timer.Stop()
	retry := firstRetry
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-k.wake: // at worst after the timer's fetch served the demand
		}
		wait := jitter(refreshEvery)
		if err := k.fetch(ctx); err != nil {
			wait, retry = jitter(retry), min(2*retry, lastRetry)
		} else {
			retry = firstRetry
		}
		timer.Reset(wait)
	}
}

// fetch gets the set and answers everyone who waits for it.
func (k *Remote) fetch(ctx context.Context) error {
	k.mu.Lock()
	if k.next == nil {
		k.next = make(chan struct{})
	}
	k.mu.Unlock()

	keys, err := k.source.fetch(ctx)

	k.mu.Lock()
	first := k.fetched.IsZero()
	k.lastError = err
	if err == nil {
		k.keys, k.fetched = keys, k.clock()
	} else {
		k.failures++
	}
	close(k.next)
	k.next = nil
	k.mu.Unlock()

	switch {
	case err != nil && ctx.Err() == nil:
		k.logger.WarnContext(ctx, "signing keys not fetched", "error", err)
	case err == nil && len(keys) == 0:
		k.logger.WarnContext(ctx, "the issuer publishes no usable signing key")
	case err == nil && first:
		k.logger.InfoContext(ctx, "signing keys fetched", "keys", len(keys))
	}
	return err
}

// jitter moves d by up to a tenth, so that replicas do not ask at the same time.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5) //nolint:gosec // spreads load, hides nothing
}
