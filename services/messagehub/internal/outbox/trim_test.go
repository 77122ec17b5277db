package outbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/messagehub/internal/outbox"
)

func TestOldRowsAreDeletedInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		pass(1500 * time.Millisecond)
		l.change(func() { l.trims, l.old = nil, 12_500 })
		pass(time.Second)
		l.change(func() {
			equal(t, "batches of a sweep", len(l.trims), 3)
			equal(t, "batch", l.trims[0], outbox.TrimParams{UpTo: bus.Position{Transaction: 500}, Age: time.Hour, Limit: 5000})
			equal(t, "rows left", l.old, 0)
		})
		equal(t, "removed", o.Stats().Removed, uint64(12_500))
	})
}

// TestTrimKeepsPace has each second as many rows grow old as a company of 10 million users writes, at a
// database that takes 20 us for each, beside a million that are old.
func TestTrimKeepsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		start(t, l, b)
		l.change(func() { l.old, l.perRow = 1_000_000, 20*time.Microsecond })
		watermarks := 0
		for range 90 {
			l.change(func() { l.old += 6900 })
			pass(time.Second)
			if _, watermark := b.take(); !watermark.IsZero() {
				watermarks++
			}
		}
		if watermarks < 88 {
			t.Errorf("%d watermarks were published in 90 seconds", watermarks)
		}
		l.change(func() {
			if l.old > 6900 {
				t.Errorf("%d old rows are left", l.old)
			}
		})
	})
}

// TestTrimRests has more to delete than the time of a sweep is enough for.
func TestTrimRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, stop := start(t, l, b)
		pass(1500 * time.Millisecond)
		l.change(func() { l.trims, l.old, l.perRow, l.late = nil, 10_000_000, 10*time.Microsecond, time.Minute })
		pass(10 * time.Second)
		l.change(func() {
			// Each takes 50 ms, so with as long a rest there is room for ten in a second.
			if n := len(l.trims); n < 90 || n > 101 {
				t.Errorf("%d batches in ten seconds, want about 100", n)
			}
		})
		s := o.Stats()
		if s.TrimLag < time.Minute || s.TrimLag > time.Minute+2*time.Second {
			t.Errorf("the oldest row is %v over its time, want a minute", s.TrimLag)
		}
		if s.LogBytes < 900_000_000 || s.LogBytes > 1_000_000_000 {
			t.Errorf("the log takes %d bytes", s.LogBytes)
		}
		l.change(func() { l.err = errAway })
		pass(time.Minute)
		l.change(func() { l.err, l.old = nil, 0 })
		pass(3 * time.Second)
		if lag := o.Stats().TrimLag; lag > 2*time.Second {
			t.Errorf("with nothing left the oldest row is %v over its time", lag)
		}
		l.change(func() { l.old = 10_000_000 })
		pass(1050 * time.Millisecond)
		stop()
		equal(t, "lag of a process that leads no more", o.Stats().TrimLag, time.Duration(0))
	})
}

// TestTrimLagWaitsForTheWatermark has an outage of the bus of two hours, in which nothing can be deleted.
func TestTrimLagWaitsForTheWatermark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		b.losing(everything)
		o.Publish(t.Context(), l.commit(1))
		pass(2 * time.Hour)
		if lag := o.Stats().TrimLag; lag < 59*time.Minute || lag > 61*time.Minute {
			t.Errorf("the oldest row is %v over its time, want about an hour", lag)
		}
	})
}
