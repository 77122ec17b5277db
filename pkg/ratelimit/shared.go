package ratelimit

import (
	"context"
	"time"
)

const (
	// askTimeout bounds what a call waits for the shared buckets; then it is decided here.
	askTimeout = 50 * time.Millisecond
	// askAgain is how long calls are decided here before one tries the shared buckets again.
	askAgain = time.Second
)

// Shared keeps the buckets of all replicas.
type Shared interface {
	// Take takes the units of a call, of which there are 1 to l.Quota(), out of the client's bucket of
	// the area, all of them or none. The error says that the buckets did not answer.
	Take(ctx context.Context, client string, area Area, l Limit, cost int) (Taken, error)
}

// Taken is what became of an attempt to take units.
type Taken struct {
	Granted bool
	// Full is the time until the bucket is full.
	Full time.Duration
	// RetryAfter is the time until there are enough units for a refused call.
	RetryAfter time.Duration
}
