package token

import (
	"math"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"example.com/hub/pkg/auth"
)

const (
	// failureBurst wrong secrets in a row are forgiven, then one in failureEvery.
	failureBurst = 10
	failureEvery = 10 * time.Second
	// limiterSize bounds the memory of each kind; a pair that nobody tries any more is forgotten first.
	limiterSize = 10_000
)

// pair is what failures are counted by. The address keeps a client from being locked out by somebody
// else who tries its id.
type pair struct{ client, address string }

// limiter slows down guessing. It counts a failure twice, for two questions.
//
// What is the caller told? That follows shown, which treats the ids of clients and invented ones alike,
// so that no answer tells them apart. Invented ids can push a pair out of it.
//
// May the secret be right at all? That follows held, where only pairs with the id of a client are, so
// that no invented id pushes one out.
type limiter struct {
	mu    sync.Mutex
	shown buckets
	held  buckets
}

func newLimiter() *limiter {
	return &limiter{shown: newBuckets(), held: newBuckets()}
}

// wait tells how long the pair must not try again; 0 means that it may.
func (l *limiter) wait(p pair, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown.wait(p, now)
}

// holds tells whether the pair failed too often, whatever wait says: then a right secret must be
// answered like a wrong one. It is false for an id that is no client's.
func (l *limiter) holds(p pair, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held.wait(p, now) > 0
}

// failed counts a wrong secret of a client, or an id that is none's.
func (l *limiter) failed(p pair, known bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown.take(p, now)
	if known {
		l.held.take(p, now)
	}
}

// buckets have what each pair may still fail.
type buckets struct {
	*lru.Cache[pair, *rate.Limiter]
}

func newBuckets() buckets {
	cache, err := lru.New[pair, *rate.Limiter](limiterSize)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return buckets{cache}
}

func (b buckets) wait(p pair, now time.Time) time.Duration {
	bucket, ok := b.Get(p)
	if !ok {
		return 0
	}
	missing := 1 - bucket.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(missing * float64(failureEvery)))
}

func (b buckets) take(p pair, now time.Time) {
	bucket, ok := b.Get(p)
	if !ok {
		bucket = rate.NewLimiter(rate.Every(failureEvery), failureBurst)
		b.Add(p, bucket)
	}
	bucket.AllowN(now, 1)
}

// pairOf keeps keys short: an id that no client can have counts as empty, and the addresses of an
// IPv6 network of one customer count as one.
func pairOf(clientID, address string) pair {
	if !auth.ValidClientID(clientID) {
		clientID = ""
	}
	if ip, err := netip.ParseAddr(address); err == nil {
		if ip = ip.Unmap(); ip.Is6() {
			if network, err := ip.WithZone("").Prefix(64); err == nil {
				return pair{clientID, network.String()}
			}
		}
		return pair{clientID, ip.String()}
	}
	return pair{clientID, address}
}

// peerAddress is the address of the TCP connection.
func peerAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
