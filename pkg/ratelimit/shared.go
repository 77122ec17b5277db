package ratelimit

import (
	"context"
	"time"
)

const (
	// askTimeout bounds what a call waits for the shared buckets; then it is decided here.
	askTimeout = 50 * time.Millisecond
	// probeTimeout is long enough for a new connection.
	probeTimeout = time.Second
	// probeEvery is how often the shared buckets are tried again, by one probe and no call.
	probeEvery = time.Second

	// aheadTime is for how long a busy client's units are taken ahead: the shared buckets are asked
	// about so often for it, and not with each call.
	aheadTime = 20 * time.Millisecond
	// aheadLife is for how long units can be used. Those that were not go back when the client's bucket is
	// asked the next time.
	aheadLife = 100 * time.Millisecond
	// aheadPart of a bucket is the most that is taken ahead, so that little is missing elsewhere.
	aheadPart = 8
)

// Shared keeps the buckets of all replicas.
type Shared interface {
	// Take puts ask.Back into the client's bucket of the area, unless the bucket has been full since
	// ask.From, when nothing was missing. Then it takes ask.Cost out, by the rule of this package. A
	// granted call also takes up to ask.Ahead units of what is left.
	Take(ctx context.Context, client string, area Area, l Limit, ask Ask) (Answer, error)
}

// Ask is what a replica wants of a bucket, in units.
type Ask struct {
	Cost, Ahead, Back int
	// From is the time of the answer that Back comes from.
	From int64
}

// Answer is what it gets.
type Answer struct {
	Granted bool
	// Ahead is the number of units that were taken ahead.
	Ahead int
	// Level is what is left, in billionths of a unit, and less than nothing when there is a debt.
	Level int64
	// Time is when that was, by the clock of the buckets.
	Time int64
}

// ahead are the units that an entry took from the shared bucket for calls to come.
type ahead struct {
	units int
	from  int64 // Answer.Time
	until time.Time
	// asked is when they were taken, and used what was granted since then.
	asked time.Time
	used  int
}

// covers tells whether a call needs no more than this.
func (a *ahead) covers(n int, now time.Time) bool { return a.units >= n && now.Before(a.until) }

// next is how much to take ahead with a call now: as much as was used in aheadTime lately, or the calls
// need that wait. That is nothing for a client with less than a call in that time, whose every call
// asks.
func (a *ahead) next(l Limit, now time.Time, waiting int) int {
	since := max(now.Sub(a.asked), time.Millisecond)
	lately := int(int64(a.used) * int64(aheadTime) / int64(since))
	return min(max(lately, waiting), l.Quota()/aheadPart)
}
