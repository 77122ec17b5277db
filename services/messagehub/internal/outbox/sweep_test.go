package outbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/messagehub/internal/outbox"
)

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestWhatWasNotAnnouncedIsSweptUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		want := l.commit(3)
		pass(900 * time.Millisecond)
		early, _ := b.take()
		equal(t, "announced before its time", len(early), 0)
		pass(1200 * time.Millisecond)
		frames, watermark := b.take()
		equal(t, "announced", frames, []bus.Frame{want})
		equal(t, "watermark", watermark, l.watermark())
		pass(10 * time.Second)
		frames, _ = b.take()
		equal(t, "announced again", len(frames), 0)
		s := o.Stats()
		s.TrimLag = 0 // the part of a second since the last sweep
		equal(t, "stats", s, outbox.Stats{Swept: 1, Leader: true})
		equal(t, "saved position", l.saved(), l.watermark())
	})
}

func TestWhatWasHeardIsNotSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		for _, n := range []int{1, 100, 250, 10_000} {
			o.Publish(t.Context(), l.commit(n))
		}
		b.take()
		pass(5 * time.Second)
		frames, watermark := b.take()
		equal(t, "announced", len(frames), 0)
		equal(t, "watermark", watermark, l.watermark())
		equal(t, "stats", o.Stats(), outbox.Stats{Announced: 4, Leader: true})
	})
}

// TestARowIsHeardWithItsLastPart loses one part of a change to many users.
func TestARowIsHeardWithItsLastPart(t *testing.T) {
	for _, part := range []int{0, 1, 63, 64, 99} {
		synctest.Test(t, func(t *testing.T) {
			l, b := newLog(), newBus()
			o, _ := start(t, l, b)
			b.losing(func(f bus.Frame) bool { return f.Part == part })
			f := l.commit(10_000)
			o.Publish(t.Context(), f)
			b.losing(nothing)
			b.take()
			pass(2500 * time.Millisecond)
			frames, _ := b.take()
			equal(t, "announced", positions(frames), []bus.Position{f.Position})
			equal(t, "repeated", o.Stats().Repeated, uint64(min(part, 1)))
		})
	}
}

// TestWatermarkStaysBelowWhatWasNotHeard: whoever hears a watermark relies on it.
func TestWatermarkStaysBelowWhatWasNotHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		lost := at(500)
		b.losing(func(f bus.Frame) bool { return f.Position == lost })
		o.Publish(t.Context(), l.commit(1))
		o.Publish(t.Context(), l.commit(1))
		pass(10 * time.Second)
		_, watermark := b.take()
		if watermark.Compare(lost) >= 0 {
			t.Errorf("the watermark passed the lost row, to %v", watermark)
		}
		if lag := o.Stats().WatermarkLag; lag < 9*time.Second || lag > 11*time.Second {
			t.Errorf("lag %v, want about 10 s", lag)
		}
		b.losing(nothing)
		pass(2 * time.Second)
		frames, watermark := b.take()
		if len(frames) == 0 || frames[len(frames)-1].Position != lost {
			t.Errorf("announced %v, want the lost row", positions(frames))
		}
		equal(t, "watermark", watermark, l.watermark())
		equal(t, "lag", o.Stats().WatermarkLag, time.Duration(0))
	})
}

// TestLateCommitIsNotSkipped has a row that is committed after rows behind it were heard.
func TestLateCommitIsNotSkipped(t *testing.T) {
	announced := func(t *testing.T, l *fakeLog, seen outbox.Log) []bus.Position {
		t.Helper()
		b := newBus()
		o, _ := start(t, seen, b)
		late := l.begin()
		o.Publish(t.Context(), l.commit(1))
		pass(3 * time.Second)
		b.take()
		l.end(late, 1)
		pass(3 * time.Second)
		frames, _ := b.take()
		return positions(frames)
	}
	t.Run("with the watermark", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLog()
			equal(t, "announced", announced(t, l, l), []bus.Position{at(500)})
		})
	})
	t.Run("by the order of rows alone it is", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newLog()
			equal(t, "number of announcements", len(announced(t, l, withoutWatermark{l})), 0)
		})
	})
}

// withoutWatermark is a log that takes every row for final, as a sweep by sequence numbers does.
type withoutWatermark struct{ *fakeLog }

func (u withoutWatermark) Rows(c ctx, after bus.Position, limit int) (outbox.Window, error) {
	w, err := u.fakeLog.Rows(c, after, limit)
	w.Watermark = after
	if n := len(w.Rows); n > 0 {
		w.Watermark = bus.Position{Transaction: w.Rows[n-1].Position.Transaction + 1}
	}
	return w, err
}

// TestRepairDoesNotWaitForTheWatermark: a foreign transaction can hold it for hours.
func TestRepairDoesNotWaitForTheWatermark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		foreign := l.begin()
		l.commit(1)
		o.Publish(t.Context(), l.commit(1))
		b.take()
		pass(2500 * time.Millisecond)
		frames, _ := b.take()
		equal(t, "announced", positions(frames), []bus.Position{at(501)})
		pass(10 * time.Second)
		frames, watermark := b.take()
		equal(t, "announced again", len(frames), 0)
		equal(t, "watermark", watermark, bus.Position{Transaction: 500})
		if lag := o.Stats().WatermarkLag; lag < 12*time.Second {
			t.Errorf("lag %v, want the time that the watermark was held", lag)
		}
		l.end(foreign, 0)
		pass(2 * time.Second)
		_, watermark = b.take()
		equal(t, "watermark", watermark, l.watermark())
	})
}

func TestOutageOfTheBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		b.losing(everything)
		const rows = 25_000 // more than one window
		for range rows {
			o.Publish(t.Context(), l.commit(1))
		}
		pass(2 * time.Minute)
		b.take()
		pass(time.Minute)
		frames, watermark := b.take()
		if len(frames) > 61 {
			t.Errorf("announced %d rows in a minute without the bus, want one a second", len(frames))
		}
		if watermark.Compare(at(500)) > 0 {
			t.Errorf("the watermark passed what was not heard, to %v", watermark)
		}
		b.losing(nothing)
		pass(5 * time.Second)
		frames, watermark = b.take()
		if len(frames) < rows || len(frames) > rows+5 {
			t.Errorf("announced %d rows after the outage, want each of %d", len(frames), rows)
		}
		equal(t, "watermark", watermark, l.watermark())
	})
}

func TestDeletedRecordsDoNotHoldTheWatermark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		start(t, l, b)
		l.commit(250)
		l.change(func() { l.deleted[500] = true })
		pass(3 * time.Second)
		_, watermark := b.take()
		equal(t, "watermark", watermark, l.watermark())
	})
}

// TestPositionOfAnotherDatabase starts behind everything that the database will write for long.
func TestPositionOfAnotherDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		l.settled = at(1 << 40)
		l.commit(1)
		start(t, l, b)
		pass(3 * time.Second)
		frames, watermark := b.take()
		equal(t, "announced", positions(frames), []bus.Position{at(500)})
		equal(t, "watermark", watermark, l.watermark())
		equal(t, "saved position", l.saved(), l.watermark())
	})
}

func TestErrorsAreCountedAndPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		l.change(func() { l.err = errAway })
		l.commit(1)
		pass(5 * time.Second)
		if s := o.Stats(); s.Errors < 4 || s.Errors > 6 || s.Leader {
			t.Errorf("stats %+v, want an error a second and no leader", s)
		}
		l.change(func() { l.err = nil })
		pass(3 * time.Second)
		frames, _ := b.take()
		equal(t, "announced", positions(frames), []bus.Position{at(500)})
		equal(t, "leader", o.Stats().Leader, true)
	})
}

func TestWithoutALogItOnlyAnnounces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		o, stop := start(t, nil, b)
		want := bus.Frame{Events: events(1, 250)}
		o.Publish(t.Context(), want)
		pass(time.Minute)
		stop()
		equal(t, "published", b.published, []bus.Frame{want})
		equal(t, "stats", o.Stats(), outbox.Stats{Announced: 1})
		list, err := o.List(t.Context(), outbox.ListRequest{Recent: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "list", list, outbox.List{})
	})
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, d := range map[string]outbox.Deps{
		"no publisher":  {},
		"no subscriber": {Publisher: newBus(), Log: newLog()},
		"a lease that nobody renews in time": {
			Publisher: newBus(), Log: newLog(), Subscriber: newBus(), Interval: time.Second, Lease: time.Second,
		},
	} {
		if _, err := outbox.New(d); err == nil {
			t.Errorf("%s: it was made", name)
		}
	}
}
