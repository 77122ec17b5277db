package catchup_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
)

func TestOlderEventsComeBeforeThoseAfterAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		l.setCut(true)
		log.commit(1, 2, 3)
		block := make(chan struct{})
		log.before = func(int) { <-block }
		l.setCut(false)
		frame := row(4)
		l.publish(frame)
		frame.Events[0].ID = "the bus uses its memory again"
		l.publish(row(2)) // announced late
		want(t, d, "gap")
		close(block)
		want(t, d, "1* before 1", "2* before 1", "3* before 1", "whole", "4", "2 from 1")
	})
}

func TestEventsAreNotHeldForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		log.set(func(r *rows) { r.err = errors.New("away") })
		l.setCut(false)
		l.publish(row(1))
		l.publish(row(2))
		pass(time.Second - 1)
		want(t, d, "gap")
		pass(1)
		want(t, d, "1", "2")
		l.publish(row(3))
		want(t, d, "3")
		l.setCut(false) // another gap while the first one is open
		l.publish(row(4))
		pass(time.Second)
		want(t, d, "gap", "4")
	})
}

func TestFewEventsAreHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		log.set(func(r *rows) { r.err = errors.New("away") })
		l.setCut(false)
		frame := bus.Frame{Events: make([]bus.Event, 100)}
		for range 199 {
			l.publish(frame)
		}
		want(t, d, "gap")
		l.publish(frame)
		if n := len(d.take()); n != 20_000 {
			t.Errorf("%d events came when too many were held, want all of them", n)
		}
		l.publish(row(1))
		want(t, d, "1")
	})
}

func TestHeldEventsKeepTheirStrings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rows{watermark: 1}
		_, l, d := start(t, log)
		want(t, d, "gap", "whole")
		log.set(func(r *rows) { r.err = errors.New("away") })
		l.setCut(false)
		var ids []string
		for n := range 10 {
			l.publish(row(n + 1))
			ids = append(ids, fmt.Sprint(n+1))
		}
		pass(time.Second)
		if got := strings.Join(d.take(), " "); got != "gap "+strings.Join(ids, " ") {
			t.Errorf("told %q", got)
		}
	})
}
