// Package pbtime converts between time.Time and Timestamps of protobuf.
package pbtime

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// invalid has a year that field.Checks refuses.
var invalid = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)

// Instant gives nil for an absent timestamp, and a time that field.Checks refuses for one that is no
// instant of the years 1 to 9999.
func Instant(ts *timestamppb.Timestamp) *time.Time {
	if ts == nil {
		return nil
	}
	t := invalid
	if ts.IsValid() {
		t = ts.AsTime()
	}
	return &t
}

// Timestamp writes t to a timestamp that its caller has, in one piece of memory with the message, and
// gives it back.
func Timestamp(into *timestamppb.Timestamp, t time.Time) *timestamppb.Timestamp {
	into.Seconds, into.Nanos = t.Unix(), int32(t.Nanosecond()) //nolint:gosec // below 1e9
	return into
}

// Optional is Timestamp for a time that may be absent, for which it gives nil.
func Optional(into *timestamppb.Timestamp, t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return Timestamp(into, *t)
}
