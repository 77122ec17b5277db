package ratelimit

import (
	"math"
	"time"

	"golang.org/x/time/rate"
)

func newBucket(l Limit) *rate.Limiter { return rate.NewLimiter(rate.Limit(l.Rate), l.Quota()) }

// take decides by the bucket of this replica.
func take(b *rate.Limiter, l Limit, now time.Time, cost int) Taken {
	t := Taken{Granted: b.AllowN(now, cost)}
	left := max(b.TokensAt(now), 0) // a call may come a nanosecond too early
	t.Full = l.fills(float64(l.Quota()) - left)
	if !t.Granted {
		t.RetryAfter = l.fills(float64(cost) - left)
	}
	return t
}

// lower takes out of this replica's bucket what others took from the shared one, so that after the loss
// of that one this replica goes on from what it knew.
func lower(b *rate.Limiter, now time.Time, left int) {
	if more := int(b.TokensAt(now)) - left; more > 0 {
		b.AllowN(now, more)
	}
}

// fills is the time in which so many units come, rounded up.
func (l Limit) fills(units float64) time.Duration {
	return time.Duration(math.Ceil(max(units, 0) / float64(l.Rate) * float64(time.Second)))
}

// left is the number of whole units in a bucket that is full after a time. A microsecond of that is
// rounding, since the clock of Redis has no parts of it.
func (l Limit) left(full time.Duration) int {
	const second = int64(time.Second / time.Microsecond)
	missing := ((full.Microseconds()-1)*int64(l.Rate) + second - 1) / second
	return max(l.Quota()-int(missing), 0)
}
