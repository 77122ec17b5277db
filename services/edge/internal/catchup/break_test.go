package catchup_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/catchup"
)

// TestWatermarkDuringAGapDoesNotCount has a watermark come before what it passed is caught up.
func TestWatermarkDuringAGapDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		log.set(func(r *rows) { r.err = errors.New("away") })
		l.setCut(true)
		log.commit(1, 2)
		l.setCut(false)
		l.publish(watermark(9))
		pass(time.Minute)
		want(t, d, "gap")
		l.setCut(false)
		log.set(func(r *rows) { r.err, r.watermark = nil, 3 })
		pass(10 * time.Second)
		want(t, d, "gap", "1* before 2", "2* before 2", "whole")
	})
}

// TestBreakDuringACatchUp has the subscription break, unnoticed, before an earlier gap is made up for:
// what is listed then is not for the streams that count on hearing it, and they must get it later.
func TestBreakDuringACatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		log.set(func(r *rows) { r.err = errors.New("away") })
		l.setCut(false)
		want(t, d, "gap")

		l.setCut(true)
		log.commit(5)
		log.set(func(r *rows) { r.err, r.watermark = nil, 6 })
		pass(10 * time.Second)
		want(t, d, "5* before 1", "whole")

		l.setCut(false)
		want(t, d, "gap", "5* from 1 before 2", "whole")
	})
}

// TestEdgeThatStartsWithoutTheBusMissesNothing has the bus come long after the log was read.
func TestEdgeThatStartsWithoutTheBusMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 3}
		log.commit(1, 2)
		_, l, d := start(t, log)
		want(t, d, "gap", "1*", "2*", "whole")
		log.commit(3)
		pass(time.Hour)
		l.setCut(false)
		want(t, d, "gap", "3* before 1", "whole")
		if diff := cmp.Diff([]bus.Position{{}, {Transaction: 3}}, log.asked); diff != "" {
			t.Errorf("asked for rows after (-want +got):\n%s", diff)
		}
	})
}

func TestGapDuringAListBeginsItAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1, size: 1}
		log.commit(1, 2, 3)
		var l *line
		ready := make(chan struct{})
		log.before = func(call int) {
			<-ready
			if call == 1 {
				l.setCut(true)
				// It is committed behind the place that the list has passed.
				log.frames = slices.Insert(log.frames, 0, bus.Frame{
					Position: bus.Position{Transaction: 1}, Events: []bus.Event{{Kind: bus.Message, User: "u", ID: "0"}},
				})
				l.setCut(false)
			}
		}
		_, made, d := start(t, log)
		l = made
		close(ready)
		want(t, d, "gap", "1*", "gap", "0* before 1", "2* before 1", "3* before 1", "whole")
	})
}

func TestGapDuringTheLastAnswerBeginsTheListAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		answers := 0
		log.set(func(r *rows) {
			r.page = func() catchup.Page {
				answers++
				if answers == 1 {
					l.setCut(false)
					return catchup.Page{}
				}
				return catchup.Page{Frames: []bus.Frame{row(1)}}
			}
		})
		l.setCut(false)
		want(t, d, "gap", "gap", "1* before 2", "whole")
	})
}
