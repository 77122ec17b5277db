package pbtime_test

import (
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"example.com/hub/pkg/field"
	"example.com/hub/pkg/pbtime"
)

func TestInstant(t *testing.T) {
	if got := pbtime.Instant(nil); got != nil {
		t.Errorf("an absent timestamp is %v", got)
	}
	for name, tt := range map[string]struct {
		ts    *timestamppb.Timestamp
		legal bool
	}{
		"epoch":           {&timestamppb.Timestamp{}, true},
		"last nanosecond": {&timestamppb.Timestamp{Seconds: 253402300799, Nanos: 999_999_999}, true},
		"year 10000":      {&timestamppb.Timestamp{Seconds: 253402300800}, false},
		"negative nanos":  {&timestamppb.Timestamp{Nanos: -1}, false},
		"far too early":   {&timestamppb.Timestamp{Seconds: math.MinInt64}, false},
	} {
		got := pbtime.Instant(tt.ts)
		var c field.Checks
		c.Instant("due_at", got)
		if legal := c.Err() == nil; legal != tt.legal || legal && !got.Equal(tt.ts.AsTime()) {
			t.Errorf("%s: %v is legal %v, want %v", name, got, legal, tt.legal)
		}
	}
}

func TestTimestamp(t *testing.T) {
	var into timestamppb.Timestamp
	at := time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	if got := pbtime.Timestamp(&into, at); got != &into || !got.AsTime().Equal(at) {
		t.Errorf("got %v, want %v", got, at)
	}
	if got := pbtime.Optional(&into, &at); got != &into {
		t.Errorf("got %v, want %v", got, at)
	}
	if got := pbtime.Optional(&into, nil); got != nil {
		t.Errorf("an absent time is %v", got)
	}
}
