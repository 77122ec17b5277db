package catchup_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/catchup"
)

func want(t *testing.T, d *diary, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, d.take()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestRecentEventsComeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 3}
		log.commit(1, 2)
		f, l, d := start(t, log)
		want(t, d, "gap", "1*", "2*", "whole")
		l.publish(row(2))
		l.publish(row(3))
		want(t, d, "3")
		if diff := cmp.Diff([]time.Duration{window}, log.recent); diff != "" {
			t.Errorf("recent times asked for (-want +got):\n%s", diff)
		}
		if s := f.Stats(); !s.Whole || s.CaughtUp != 2 || s.Repeated != 1 || s.Gaps != 0 {
			t.Errorf("stats = %+v, want 2 caught up and 1 repeated", s)
		}
	})
}

func TestRepeatsAreLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l, d := start(t, nil)
		part := row(2)
		part.Part = 1
		other := row(2)
		other.Position.Sequence = 2
		for range 2 {
			for _, f := range []bus.Frame{row(2), part, other, row(1)} {
				l.publish(f)
			}
		}
		want(t, d, "2", "2", "2", "1")
	})
}

func TestFramesWithoutAPositionAlwaysCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l, d := start(t, nil)
		f := row(1)
		f.Position = bus.Position{}
		l.publish(f)
		l.publish(f)
		want(t, d, "1", "1")
	})
}

func TestMemoryOfRepeatsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, l, _ := start(t, nil)
		const frames = 200_000
		for n := range frames {
			l.publish(row(n + 1))
		}
		for n := frames - 20_000; n < frames; n++ {
			l.publish(row(n + 1))
		}
		if n := f.Stats().Repeated; n != 20_000 {
			t.Errorf("%d of the last 20,000 frames were known when they came again", n)
		}
		if n := catchup.Remembered(f); n > 1<<16 {
			t.Errorf("%d frames are remembered, want at most %d", n, 1<<16)
		}
	})
}

func TestGapIsMadeUpForFromTheLastWatermark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		for n := 1; n <= 4; n++ {
			log.commit(n)
			l.publish(row(n))
		}
		l.publish(watermark(2))
		l.publish(watermark(3))
		l.setCut(true)
		log.commit(5, 6)
		log.set(func(r *rows) { r.watermark = 7 })
		l.publish(row(5))
		l.publish(row(6))
		l.setCut(false)
		want(t, d, "1", "2", "3", "4", "gap", "5* before 1", "6* before 1", "whole")

		l.publish(watermark(7))
		l.setCut(true)
		log.commit(7)
		l.setCut(false)
		want(t, d, "gap", "7* before 2", "whole")
		wantAsked := []bus.Position{{}, {Transaction: 3}, {Transaction: 7}}
		if diff := cmp.Diff(wantAsked, log.asked); diff != "" {
			t.Errorf("asked for rows after (-want +got):\n%s", diff)
		}
	})
}

// TestEarlierWatermarkCounts has a database that was restored, where lower positions come again, and are
// passed again, without a gap.
func TestEarlierWatermarkCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		l.publish(watermark(900))
		l.publish(watermark(3))
		l.setCut(true)
		log.commit(5)
		l.setCut(false)
		want(t, d, "gap", "5* before 1", "whole")
	})
}

// TestRowsAreForStreamsThatDoNotHaveThem has rows that are listed before they are heard, again and again.
func TestRowsAreForStreamsThatDoNotHaveThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		f, l, d := start(t, log)
		want(t, d, "gap", "whole")
		log.commit(1, 2, 3)
		l.publish(row(3))
		l.setCut(false)
		want(t, d, "3", "gap", "1* before 1", "2* before 1", "whole")
		// Streams of the epoch 1 may have begun before row 1 was committed.
		l.publish(row(1))
		l.publish(row(1))
		want(t, d, "1 from 1")
		l.setCut(false)
		want(t, d, "gap", "2* from 1 before 2", "whole")
		l.publish(row(2))
		l.publish(row(3))
		want(t, d, "2 from 2")
		if s := f.Stats(); s.CaughtUp != 2 {
			t.Errorf("%d events were caught up, want 2", s.CaughtUp)
		}
	})
}

func TestLongListsAreReadToTheirEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 8, size: 3}
		log.commit(1, 2, 3, 4, 5, 6, 7)
		// Between two answers a row is committed at a place that was passed, and not heard; it is
		// above the watermark of the first answer.
		log.before = func(call int) {
			if call == 2 {
				log.set(func(r *rows) { r.watermark = 9 })
			}
		}
		log.watermark = 2
		_, l, d := start(t, log)
		want(t, d, "gap", "1*", "2*", "3*", "4*", "5*", "6*", "7*", "whole")
		l.setCut(true)
		log.commit(8)
		log.frames = slices.Insert(log.frames, 2, bus.Frame{
			Position: bus.Position{Transaction: 2, Sequence: 7}, Events: []bus.Event{{Kind: bus.Message, User: "u", ID: "late"}},
		})
		l.setCut(false)
		want(t, d, "gap", "late* before 1", "8* before 1", "whole")
	})
}

func TestListThatDoesNotGoOnIsAskedAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{page: func() catchup.Page { return catchup.Page{More: true} }}
		f, _, d := start(t, log)
		pass(time.Minute)
		want(t, d, "gap")
		if s := f.Stats(); s.Whole || s.Failed < 5 || s.Failed > 40 {
			t.Errorf("stats = %+v, want some failed calls", s)
		}
	})
}

func TestGapIsMadeUpForOnceMessagehubIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{err: errors.New("away")}
		f, l, d := start(t, log)
		pass(10 * time.Minute)
		l.publish(row(5))
		want(t, d, "gap", "5")
		n := len(log.asked)
		if n < 100 || n > 400 {
			t.Errorf("asked %d times in 10 minutes", n)
		}
		if f.Stats().Whole {
			t.Error("the feed says that nothing is missing")
		}
		log.commit(3, 5)
		log.set(func(r *rows) { r.err = nil })
		pass(10 * time.Second)
		want(t, d, "3*", "whole")
		// Whoever has listened all the time misses nothing, as far as the log answers without a
		// position.
		if last := log.recent[len(log.recent)-1]; last != 10*time.Minute || log.recent[n/2] <= 5*time.Minute {
			t.Errorf("asked for the events of the last %v", last)
		}
	})
}

func TestWithoutALogGapsAreLosses(t *testing.T) {
	tests := map[string]struct {
		log  catchup.Log
		want []string
	}{
		"none":              {nil, []string{"lost"}},
		"not in messagehub": {&rows{err: fmt.Errorf("list events: %w", catchup.ErrNoLog)}, []string{"gap", "lost", "gap", "lost"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, l, d := start(t, tt.log)
				synctest.Wait()
				l.setCut(false)
				l.publish(row(1))
				want(t, d, append(tt.want, "1")...)
				if s := f.Stats(); !s.Whole || s.Gaps != 1 {
					t.Errorf("stats = %+v, want one gap and nothing to make up for", s)
				}
			})
		})
	}
}

func TestRestoredDatabaseGivesPositionsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 100}
		log.commit(40, 50)
		_, l, d := start(t, log)
		want(t, d, "gap", "40*", "50*", "whole")
		l.publish(watermark(100))
		l.setCut(true)
		other := row(50)
		other.Events[0].ID = "another 50"
		log.set(func(r *rows) {
			r.page = func() catchup.Page {
				return catchup.Page{Frames: []bus.Frame{other}, Watermark: bus.Position{Transaction: 51}}
			}
		})
		l.setCut(false)
		want(t, d, "gap", "another 50* before 1", "whole")
	})
}

func TestFeedThatIsCancelledTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{err: errors.New("away")}
		l, d := &line{}, &diary{}
		f, err := catchup.New(catchup.Deps{Bus: l, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = f.Run(t.Context()) }()
		cancel := f.Subscribe(d.handler())
		l.publish(row(1)) // waits
		cancel()
		log.commit(2)
		log.set(func(r *rows) { r.err = nil })
		pass(time.Minute)
		want(t, d, "gap")
	})
}

func TestFeedNeedsABus(t *testing.T) {
	if _, err := catchup.New(catchup.Deps{}); err == nil {
		t.Error("a feed without a bus is made")
	}
}
