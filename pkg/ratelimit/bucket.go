package ratelimit

import "time"

// unit is one unit of a level. A rate of one unit in a second is then one in a nanosecond, so that
// levels are whole numbers and never drift. The largest bucket has 6e16.
const unit = int64(time.Second)

// full is the level of a full bucket.
func (l Limit) full() int64 { return int64(l.Quota()) * unit }

// needs is the level at which a call of n units passes.
func (l Limit) needs(n int) int64 { return min(int64(n)*unit, l.full()) }

// fills is the time in which so much comes, rounded up.
func (l Limit) fills(amount int64) time.Duration {
	rate := int64(l.Rate)
	return time.Duration((max(amount, 0) + rate - 1) / rate)
}

// bucket is what a client has left at a time. Less than nothing is a debt.
type bucket struct {
	level int64
	at    time.Time
}

// refill adds what has come since.
func (b *bucket) refill(l Limit, now time.Time) {
	since := now.Sub(b.at)
	if since <= 0 {
		return // nothing comes by a clock that stands or was set back
	}
	b.at = now
	if since >= l.fills(l.full()-b.level) {
		b.level = l.full()
		return
	}
	b.level += int64(since) * int64(l.Rate)
}

// take takes n units if they are there, or if the bucket is full.
func (b *bucket) take(l Limit, now time.Time, n int) bool {
	b.refill(l, now)
	if b.level < l.needs(n) {
		return false
	}
	b.level -= int64(n) * unit
	return true
}
