package socket_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/stream"
)

func TestASocketIsToldItsCountFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		e.inbox.set("amy", 7)
		e.inbox.hold = make(chan struct{})
		c := e.open(t, "amy")
		synctest.Wait()
		e.bus.publish(message("amy", "early"))
		if got := c.take(); len(got) != 0 {
			t.Errorf("%+v came before the count", got)
		}
		close(e.inbox.hold)
		got := c.take()
		if len(got) != 1 || got[0].Type != "inbox.unread.changed" || got[0].Unread != 7 || got[0].TS != time.Now().UnixMilli() {
			t.Errorf("got %+v", got)
		}
		e.bus.publish(message("amy", "0190-a"))
		if got := c.take(); len(got) != 1 || got[0].Type != "message.created" || *got[0].ID != "0190-a" || got[0].TS != noon.UnixMilli() {
			t.Errorf("got %+v", got)
		}
	})
}

// TestCountsAreDebounced has changes one after the other: the first is told at once, and then there is one
// question a second, the last of them after the last change.
func TestCountsAreDebounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		c := e.open(t, "amy")
		c.wantUnread(t, 0)
		pass(10 * time.Second)
		e.inbox.take()
		began := time.Now()
		for n := range 25 {
			e.inbox.set("amy", int64(n+1))
			e.bus.publish(read("amy", "m"))
			pass(95 * time.Millisecond)
		}
		pass(10 * time.Second)
		var at []time.Duration
		for _, call := range e.inbox.take() {
			at = append(at, call.at.Sub(began))
		}
		if want := "[0s 1s 2s 3s]"; fmt.Sprint(at) != want {
			t.Errorf("asked at %v, want %s", at, want)
		}
		c.wantUnread(t, 1, 11, 22, 25)
	})
}

func TestACountIsToldOnlyWhenItDiffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		e.inbox.set("amy", 3)
		c := e.open(t, "amy")
		c.wantUnread(t, 3)
		pass(time.Minute)
		e.bus.publish(read("amy", "m"))
		c.wantUnread(t)
		if n := len(e.inbox.take()); n != 2 {
			t.Errorf("asked %d times, want twice", n)
		}
		pass(time.Minute)
		second := e.open(t, "amy")
		second.wantUnread(t, 3)
		c.wantUnread(t)
	})
}

// TestAChangeWhileTheAnswerIsUnderWay is counted by another question.
func TestAChangeWhileTheAnswerIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		c := e.open(t, "amy")
		c.wantUnread(t, 0)
		pass(time.Minute)
		e.inbox.hold = make(chan struct{})
		e.bus.publish(read("amy", "m"))
		synctest.Wait() // the answer is 0
		e.inbox.set("amy", 1)
		e.bus.publish(read("amy", "m"))
		pass(2500 * time.Millisecond)
		if n := len(e.inbox.take()); n != 2 {
			t.Errorf("asked %d times, want twice: never two at a time", n)
		}
		close(e.inbox.hold)
		c.wantUnread(t, 1)
	})
}

func TestCountsAreToldAgainAfterAGap(t *testing.T) {
	for name, gap := range map[string]func(*stream.Handler){
		"that is made up for": func(h *stream.Handler) { h.Gap(2) },
		"that is lost":        func(h *stream.Handler) { h.Lost() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := start(t, socket.Deps{})
				amy, ben := e.open(t, "amy"), e.open(t, "ben")
				amy.wantUnread(t, 0)
				ben.wantUnread(t, 0)
				pass(time.Minute)
				e.inbox.set("amy", 2)
				e.bus.tell(gap)
				amy.wantUnread(t, 2)
				ben.wantUnread(t)
			})
		})
	}
}

// TestLateEventsAreForSocketsFromBeforeTheGap, as those of streams are.
func TestLateEventsAreForSocketsFromBeforeTheGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		old := e.open(t, "amy")
		old.take()
		e.bus.tell(func(h *stream.Handler) { h.Gap(1) })
		young := e.open(t, "amy")
		pass(time.Minute)
		old.take()
		young.wantUnread(t, 0)
		e.bus.publishTo(stream.Arrival{Late: true, To: 1}, message("amy", "missed"))
		old.wants(t, "message.created missed")
		young.wantUnread(t)
	})
}

func TestUsersWhoWaitAreAskedForTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const users = 6_000
		e := start(t, socket.Deps{})
		var frame []bus.Event
		for n := range users {
			user := fmt.Sprint("user-", n)
			e.open(t, user)
			frame = append(frame, message(user, "m"))
		}
		pass(time.Minute)
		e.inbox.take()
		e.inbox.mu.Lock()
		e.inbox.hold = make(chan struct{})
		e.inbox.mu.Unlock()
		e.bus.publish(frame...)
		synctest.Wait()
		inFlight := e.inbox.take()
		if len(inFlight) != 8 {
			t.Errorf("%d calls are in flight, want 8", len(inFlight))
		}
		close(e.inbox.hold)
		synctest.Wait()
		calls := slices.Concat(inFlight, e.inbox.take())
		asked := 0
		for _, c := range calls {
			if asked += len(c.users); len(c.users) > 500 {
				t.Errorf("a call has %d names", len(c.users))
			}
		}
		if asked != users || len(calls) > 8+users/500+1 {
			t.Errorf("%d users were asked for in %d calls", asked, len(calls))
		}
	})
}

func TestAFailedCountIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		c := e.open(t, "amy")
		c.wantUnread(t, 0)
		pass(time.Minute)
		e.inbox.fail(errAway)
		e.inbox.set("amy", 4)
		e.bus.publish(read("amy", "m"))
		pass(30 * time.Second)
		c.wantUnread(t)
		e.inbox.fail(nil)
		pass(8 * time.Second)
		c.wantUnread(t, 4)
		c.wantOpen(t)
		if s := e.Stats(); s.Failed < 5 || s.Failed > 20 {
			t.Errorf("stats = %+v, want a pause that grows", s)
		}
	})
}

func TestASocketEndsWhoseCountFailsForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		told := e.open(t, "amy")
		told.wantUnread(t, 0)
		e.inbox.fail(errAway)
		first := e.open(t, "ben")
		pass(50 * time.Second)
		e.bus.publish(read("amy", "m"))
		second := e.open(t, "ben")
		pass(9 * time.Second)
		first.wantOpen(t)
		pass(9 * time.Second)
		first.wantClose(t, 1011)
		second.wantOpen(t)
		told.wantOpen(t)
		pass(50 * time.Second)
		second.wantClose(t, 1011)
		told.wantClose(t, 1011)
	})
}
