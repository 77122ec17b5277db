package session_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/session"
)

const minute = time.Minute

func TestACookieIsRenewedFromHalfOfItsTimeOn(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	e.clock.pass(minute*5/2 - 1)
	if _, next := e.check(t, c); next != c || e.store.asked != 0 {
		t.Error("it is renewed before")
	}
	e.clock.pass(1)
	s, next := e.check(t, c)
	if next == c || e.store.asked != 1 {
		t.Fatal("it is not renewed")
	}
	if again, _ := e.check(t, next); again.ID != s.ID || !again.Ends.Equal(s.Ends) {
		t.Errorf("the session is %+v, and was %+v", again, s)
	}
	if e.store.asked != 1 {
		t.Error("the store is asked for the new cookie")
	}
}

func TestAnIdleSessionEnds(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	e.clock.pass(30*minute - 1)
	_, c = e.check(t, c)
	e.clock.pass(30 * minute)
	e.wantRefused(t, fault.Unauthenticated, c)
}

func TestASessionEndsWithItsLifetime(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	for range 8*60/4 - 1 {
		e.clock.pass(4 * minute)
		_, c = e.check(t, c)
	}
	e.clock.pass(4*minute - 1)
	s, _ := e.check(t, c)
	e.clock.pass(1)
	if !s.Ends.Equal(e.clock.time()) {
		t.Errorf("it was to end at %s", s.Ends)
	}
	e.wantRefused(t, fault.Unauthenticated, c)
	if e.Lives(t.Context(), s.ID) {
		t.Error("its streams go on")
	}
}

// TestWhatIsOverIsToldWithoutTheStore has cookies that say themselves that their session has ended.
func TestWhatIsOverIsToldWithoutTheStore(t *testing.T) {
	for _, idle := range []time.Duration{30 * minute, 8 * 60 * minute} {
		e := open(t, options{config: session.Config{Idle: idle, Lifetime: 8 * time.Hour}})
		c := e.begin(t)
		e.store.away = errAway
		e.clock.pass(idle - 1)
		e.wantRefused(t, fault.Unavailable, c)
		e.clock.pass(1)
		e.wantRefused(t, fault.Unauthenticated, c)
	}
}

// TestWhatRenewsIsARequest has a page that is open, and nobody before it.
func TestWhatRenewsIsARequest(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	s, _ := e.check(t, c)
	for range 6 {
		if !e.Lives(t.Context(), s.ID) {
			t.Fatal("it ended before its time")
		}
		e.clock.pass(5 * minute)
	}
	if e.Lives(t.Context(), s.ID) {
		t.Error("a stream keeps its session alive")
	}
}

func TestALogoutEndsTheSession(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	s, _ := e.check(t, c)
	w := httptest.NewRecorder()
	if err := e.End(w, request(c), s); err != nil {
		t.Fatal(err)
	}
	if gone := taken(t, w); gone.Name != cookie || gone.Value != "" || gone.MaxAge >= 0 || gone.Path != "/" || !gone.Secure {
		t.Errorf("the answer sets %s", w.Header()["Set-Cookie"])
	}
	for range 10 {
		e.wantRefused(t, fault.Unauthenticated, c)
		e.clock.pass(minute)
	}
	if e.Lives(t.Context(), s.ID) {
		t.Error("its streams go on")
	}
}

func TestALoginEndsTheSessionBefore(t *testing.T) {
	e := open(t, options{})
	old := e.begin(t)
	w := httptest.NewRecorder()
	if err := e.Begin(w, request(old), session.Person{Username: "ben"}); err != nil {
		t.Fatal(err)
	}
	e.wantRefused(t, fault.Unauthenticated, old)
	if s, err := e.Check(httptest.NewRecorder(), request(taken(t, w)), false); err != nil || s.Username != "ben" {
		t.Errorf("%+v, %v", s, err)
	}
	if st := e.Stats(); st.Begun != 2 || st.Ended != 1 {
		t.Errorf("%+v", st)
	}
}

// TestTwoEdges have a store each, and the same keys and bus.
func TestTwoEdges(t *testing.T) {
	b := membus.New()
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	shared := newClock()
	one := open(t, options{clock: shared, bus: b})
	two := open(t, options{clock: shared, bus: b})
	c := one.begin(t)
	s, _ := two.check(t, c)

	shared.pass(3 * minute)
	if _, next := two.check(t, c); next != c {
		t.Error("an edge renews what it does not know")
	}
	shared.pass(2 * minute)
	two.wantRefused(t, fault.Unauthenticated, c)
	if two.Lives(t.Context(), s.ID) {
		t.Error("its streams go on there")
	}
	_, c = one.check(t, c)
	two.check(t, c)

	told := make(chan string, 2)
	one.Watch(func(user, id string) { told <- user + " " + id })
	if err := two.End(httptest.NewRecorder(), request(c), s); err != nil {
		t.Fatal(err)
	}
	if got := <-told; got != "amy "+s.ID {
		t.Errorf("told %q", got)
	}
	for _, e := range []*edge{one, two} {
		e.wantRefused(t, fault.Unauthenticated, c)
		shared.pass(3 * minute)
		e.wantRefused(t, fault.Unauthenticated, c)
	}
	shared.pass(10 * minute)
	one.wantRefused(t, fault.Unauthenticated, c) // its row is gone, too
}

// TestAnEndThatIsNotHeard holds for five minutes at most.
func TestAnEndThatIsNotHeard(t *testing.T) {
	shared := newClock()
	one, two := open(t, options{clock: shared}), open(t, options{clock: shared})
	c := one.begin(t)
	s, _ := two.check(t, c)
	if err := one.End(httptest.NewRecorder(), request(c), s); err != nil {
		t.Fatal(err)
	}
	shared.pass(5*minute - 1)
	two.check(t, c)
	shared.pass(1)
	two.wantRefused(t, fault.Unauthenticated, c)
}

func TestOtherEventsArePassedOn(t *testing.T) {
	b := membus.New()
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	e := open(t, options{bus: b})
	heard := make(chan bus.Event, 1)
	t.Cleanup(e.Subscribe(bus.Handler{Frame: func(f bus.Frame) { heard <- f.Events[0] }}))
	b.Publish(t.Context(), bus.Frame{Events: []bus.Event{{Kind: bus.Message, User: "amy", ID: "1"}}})
	if got := <-heard; got.Kind != bus.Message || got.ID != "1" {
		t.Errorf("heard %+v", got)
	}
}
