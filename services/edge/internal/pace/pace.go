// Package pace bounds how often somebody may do something that costs others.
package pace

import (
	"math"
	"net/netip"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// maxKeys bounds the memory; a key that nobody uses any more is forgotten first.
const maxKeys = 10_000

// Buckets have what each key may still do. They are not for use by several goroutines at once.
type Buckets[K comparable] struct {
	cache *lru.Cache[K, *rate.Limiter]
	every time.Duration
	burst int
}

// New makes buckets that hold a burst and get one back in every interval.
func New[K comparable](burst int, every time.Duration) Buckets[K] {
	cache, err := lru.New[K, *rate.Limiter](maxKeys)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return Buckets[K]{cache, every, burst}
}

// Wait tells how long the key must wait for its next turn; 0 means that it need not.
func (b Buckets[K]) Wait(key K, now time.Time) time.Duration {
	bucket, ok := b.cache.Get(key)
	if !ok {
		return 0
	}
	missing := 1 - bucket.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	return time.Duration(math.Ceil(missing * float64(b.every)))
}

// Take takes a turn, if there is one.
func (b Buckets[K]) Take(key K, now time.Time) {
	bucket, ok := b.cache.Get(key)
	if !ok {
		bucket = rate.NewLimiter(rate.Every(b.every), b.burst)
		b.cache.Add(key, bucket)
	}
	bucket.AllowN(now, 1)
}

// Network is the address by which a caller is counted: those of an IPv6 network of one customer count as
// one. What is no address is given back.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is6() {
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}
