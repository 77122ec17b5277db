package stream

import (
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// retry is how long clients wait before they reconnect (contract, Connection rules 3).
	retry = 3 * time.Second
	// maxRetry bounds the growing wait of clients that take a user's stream from each other.
	maxRetry = time.Minute
	// replaceWindow is how long a replacement counts.
	replaceWindow = 2 * time.Minute
	// maxPast replacements are kept; with the doubling of retry, more make no difference.
	maxPast = 6
)

// replacements are the times at which a user's stream was replaced, oldest first.
type replacements []time.Time

// with gives those that still count, and now.
func (r replacements) with(now time.Time) replacements {
	first := slices.IndexFunc(r, func(at time.Time) bool { return now.Sub(at) < replaceWindow })
	if first < 0 {
		return replacements{now}
	}
	first = max(first, len(r)-maxPast+1)
	return append(slices.Clone(r[first:]), now)
}

// wait is how long the client of the replaced stream is to stay away: twice as long with each earlier
// replacement, so that two open tabs do not evict each other every three seconds, and with jitter.
func (r replacements) wait() time.Duration { return stayAway(len(r)) }

// atLeast gives r with more replacements now, where another replica knows of more.
func (r replacements) atLeast(n int, now time.Time) replacements {
	for len(r) < min(n, maxPast) {
		r = append(r, now)
	}
	return r
}

// stayAway is the wait after n replacements.
func stayAway(n int) time.Duration {
	d := retry
	for range min(n, maxPast) - 1 {
		d = min(2*d, maxRetry)
	}
	return d + rand.N(d/2)
}
