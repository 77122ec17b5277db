package outbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/messagehub/internal/outbox"
)

// leaders gives the number of those that sweep.
func leaders(all ...*outbox.Outbox) (n int) {
	for _, o := range all {
		if o.Stats().Leader {
			n++
		}
	}
	return n
}

func TestOneOfSeveralSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		first, _ := start(t, l, b)
		second, _ := start(t, l, b)
		third, _ := start(t, l, b)
		for range 20 {
			pass(500 * time.Millisecond)
			if n := leaders(first, second, third); n != 1 {
				t.Fatalf("%d processes sweep", n)
			}
		}
		l.commit(1)
		pass(3 * time.Second)
		frames, _ := b.take()
		equal(t, "announced", positions(frames), []bus.Position{at(500)})
	})
}

// TestSuccessorSweepsWhenTheLeaseEnds kills the leader, by a log that is dead to it.
func TestSuccessorSweepsWhenTheLeaseEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		dying := &mortal{fakeLog: l}
		first, _ := start(t, dying, b)
		second, _ := start(t, l, b)
		first.Publish(t.Context(), l.commit(1))
		pass(10 * time.Second)
		b.take()
		equal(t, "the first leads", first.Stats().Leader, true)

		l.commit(1) // and dies before it announces
		l.change(func() { dying.dead = true })
		pass(3 * time.Second)
		equal(t, "the second leads", second.Stats().Leader, true)
		frames, watermark := b.take()
		equal(t, "announced", positions(frames), []bus.Position{at(501)})
		equal(t, "watermark", watermark, l.watermark())
	})
}

// mortal is a log that one process cannot reach any more.
type mortal struct {
	*fakeLog
	dead bool
}

func (m *mortal) Hold(c ctx, p outbox.HoldParams) (outbox.Lease, error) {
	m.mu.Lock()
	dead := m.dead
	m.mu.Unlock()
	if dead {
		return outbox.Lease{}, errAway
	}
	return m.fakeLog.Hold(c, p)
}

func TestStopHandsTheLeaseOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		first, stop := start(t, l, b)
		second, _ := start(t, l, b)
		pass(1500 * time.Millisecond)
		stop()
		equal(t, "the first leads", first.Stats().Leader, false)
		pass(time.Second)
		equal(t, "the second leads", second.Stats().Leader, true)
		equal(t, "handlers on the bus", len(b.handlers), 1)
	})
}

// TestFollowerRemembersWhatTheLeaderDidNotSettle: a successor must not announce everything again.
func TestFollowerRemembersWhatTheLeaderDidNotSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		first, stop := start(t, l, b)
		second, _ := start(t, l, b)
		l.begin() // nothing is settled
		for range 50 {
			first.Publish(t.Context(), l.commit(1))
		}
		pass(5 * time.Second)
		b.take()
		stop()
		pass(5 * time.Second)
		equal(t, "the second leads", second.Stats().Leader, true)
		frames, _ := b.take()
		equal(t, "announced again", len(frames), 0)
	})
}

// TestWhatIsSettledIsForgotten at the leader and at the others.
func TestWhatIsSettledIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		first, _ := start(t, l, b)
		second, _ := start(t, l, b)
		late := l.begin()
		for range 50 {
			first.Publish(t.Context(), l.commit(1))
		}
		pass(5 * time.Second)
		equal(t, "remembered", []int{first.Remembered(), second.Remembered()}, []int{50, 50})
		l.end(late, 0)
		pass(3 * time.Second)
		equal(t, "remembered", []int{first.Remembered(), second.Remembered()}, []int{0, 0})
	})
}

// TestMemoryOfWhatWasHeardIsBounded while a transaction stays open for hours.
func TestMemoryOfWhatWasHeardIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, b := newLog(), newBus()
		o, _ := start(t, l, b)
		for n := range outbox.MaxHeard + 1000 {
			o.Publish(t.Context(), bus.Frame{Position: at(1000 + n), Events: events(n, 1)})
		}
		equal(t, "remembered", o.Remembered(), outbox.MaxHeard)
	})
}
