package issuer

import (
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/pace"
)

const (
	// failureBurst wrong secrets in a row are forgiven, then one in failureEvery.
	failureBurst = 10
	failureEvery = 10 * time.Second
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
	shown pace.Buckets[pair]
	held  pace.Buckets[pair]
}

func newLimiter() *limiter {
	return &limiter{shown: pace.New[pair](failureBurst, failureEvery), held: pace.New[pair](failureBurst, failureEvery)}
}

// wait tells how long the pair must not try again; 0 means that it may.
func (l *limiter) wait(p pair, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown.Wait(p, now)
}

// holds tells whether the pair failed too often, whatever wait says: then a right secret must be
// answered like a wrong one. It is false for an id that is no client's.
func (l *limiter) holds(p pair, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held.Wait(p, now) > 0
}

// failed counts a wrong secret of a client, or an id that is none's.
func (l *limiter) failed(p pair, known bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown.Take(p, now)
	if known {
		l.held.Take(p, now)
	}
}

// pairOf keeps keys short: an id that no client can have counts as empty.
func pairOf(clientID, address string) pair {
	if !auth.ValidClientID(clientID) {
		clientID = ""
	}
	return pair{clientID, pace.Network(address)}
}

// peerAddress is the address of the TCP connection.
func peerAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
