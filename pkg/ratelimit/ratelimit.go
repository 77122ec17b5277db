// Package ratelimit keeps clients from taking more than their share: each has a bucket of units for
// its writes and one for its reads, which fill at a steady rate.
//
// Calls take units out of a bucket. One that finds too few is refused and costs nothing. None costs more
// than a full bucket, so that no call is impossible.
package ratelimit

import (
	"strconv"
	"time"
)

// Area is which of a client's buckets a call takes from.
type Area uint8

const (
	// Writes are the calls that store or change something.
	Writes Area = iota
	// Reads are the others; opening a stream is one.
	Reads

	areas = 2
)

// String is the name of the area in metrics and headers.
func (a Area) String() string {
	if a == Reads {
		return "reads"
	}
	return "writes"
}

// Charge says what a call takes.
type Charge struct {
	Area Area
	// Cost gives the units for a request, at least 1; nil means 1 for each.
	Cost func(request any) int
}

// Charges are those of a service's methods by their full gRPC names. A method that is missing is free.
type Charges map[string]Charge

// Limit is the size of a bucket.
type Limit struct {
	// Rate is the number of units that come in a second; 0 is no limit.
	Rate int
	// Burst is the time in which an empty bucket fills, in whole seconds.
	Burst time.Duration
}

// Quota is the number of units in a full bucket.
func (l Limit) Quota() int { return l.Rate * l.seconds() }

func (l Limit) seconds() int { return int(l.Burst / time.Second) }

// Result is what became of a call. The zero value is that of one without a limit, but for Granted.
type Result struct {
	// Granted tells whether the call may go on.
	Granted bool
	// Area and Limit are those that counted; Limit is zero where there is none.
	Area  Area
	Limit Limit
	// Remaining is the number of whole units that are left. Other replicas may have taken more.
	Remaining int
	// Full is the time until the bucket is full.
	Full time.Duration
	// RetryAfter is how long a refused call should wait; more than 0.
	RetryAfter time.Duration

	policy string
}

// The header fields of draft-ietf-httpapi-ratelimit-headers-11.
const (
	PolicyHeader = "RateLimit-Policy"
	StateHeader  = "RateLimit"
)

// Policy is the value of RateLimit-Policy: the units of a full bucket and the seconds in which they
// come.
func (r Result) Policy() string { return r.policy }

// State is the value of RateLimit: the units that are left and a time in seconds. That is the time
// until the bucket is full, or of a refused call the time to wait, which the draft wants to be no
// longer than Retry-After.
func (r Result) State() string {
	wait := r.Full
	if !r.Granted {
		wait = r.RetryAfter
	}
	return field(r.Area, ";r=", int64(r.Remaining), ";t=", Seconds(wait))
}

func policy(a Area, l Limit) string {
	return field(a, ";q=", int64(l.Quota()), ";w=", int64(l.seconds()))
}

// field is an item of a structured field (RFC 9651) with two numbers.
func field(a Area, first string, v int64, second string, w int64) string {
	var space [64]byte
	b := append(space[:0], '"')
	b = append(b, a.String()...)
	b = append(b, '"')
	b = strconv.AppendInt(append(b, first...), v, 10)
	b = strconv.AppendInt(append(b, second...), w, 10)
	return string(b)
}

// Seconds rounds up to whole seconds, at least 1, as Retry-After has them.
func Seconds(d time.Duration) int64 {
	return max(1, int64((d+time.Second-1)/time.Second))
}
