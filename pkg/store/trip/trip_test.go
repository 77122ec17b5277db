package trip_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/store/trip"
)

// wantCalls checks what a statement makes.
func wantCalls(t *testing.T, st *statement, alone bool, calls ...string) {
	t.Helper()
	if diff := cmp.Diff(calls, st.calls); diff != "" || st.alone != alone {
		t.Errorf("a statement, alone %v (-want +got):\n%s", st.alone, diff)
	}
}

func TestNobodyWaitsWhileNothingIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 2)
		type key struct{}
		first := s.call(context.WithValue(t.Context(), key{}, "its own"), "1")
		one := s.next()
		wantCalls(t, one, true, "1")
		if one.ctx.Value(key{}) == nil {
			t.Error("the statement has not the context of its caller")
		}
		one.done()
		first.want("1!")
		s.call(t.Context(), "2")
		wantCalls(t, s.next(), true, "2")
	})
}

func TestEnoughCallsBeginAStatementBesideAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 2)
		s.calls(enough)
		wantCalls(t, s.next(), true, "0")
		s.none()
		last := s.call(t.Context(), "16")
		shared := s.next()
		if len(shared.calls) != enough {
			t.Errorf("a statement takes %d calls, want %d", len(shared.calls), enough)
		}
		s.calls(enough)
		s.none() // two are under way
		shared.done()
		last.want("16!")
		s.next()
	})
}

func TestACallThatHasWaitedForLongBeginsAStatementBesideAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 2)
		s.call(t.Context(), "0")
		s.next()
		first, behind := s.call(t.Context(), "a1"), s.call(t.Context(), "a2")
		<-time.After(longest - 1)
		s.none()
		<-time.After(1)
		one := s.next()
		wantCalls(t, one, true, "a1")
		one.done()
		first.want("a1!")
		two := s.next() // as long has the one behind it
		wantCalls(t, two, true, "a2")
		s.call(t.Context(), "3")
		<-time.After(longest)
		s.none()
		two.done()
		behind.want("a2!")
		wantCalls(t, s.next(), true, "3")
	})
}

func TestCallsThatWaitShareTheNextStatement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 2)
		calls := s.calls(6)
		one := s.next()
		s.none()
		one.done()
		shared := s.next()
		wantCalls(t, shared, false, "1", "2", "3", "4", "5")
		if _, ends := shared.ctx.Deadline(); ends || shared.ctx.Done() != nil {
			t.Error("the statement has the context of somebody")
		}
		last := s.call(t.Context(), "6")
		<-time.After(longest)
		wantCalls(t, s.next(), true, "6") // the only one that waits goes alone
		last.waits()
		own := errors.New("its own")
		shared.answer <- func() (all []trip.Outcome[string], _ error) {
			for _, c := range shared.calls {
				all = append(all, trip.Outcome[string]{Result: c + "!"})
			}
			all[2] = trip.Outcome[string]{Err: own}
			return all, nil
		}
		for i, c := range calls {
			if i != 3 {
				c.want(fmt.Sprint(i, "!"))
			}
		}
		if calls[3].over(); !errors.Is(calls[3].err, own) {
			t.Errorf("got %q, %v, want its own error", calls[3].result, calls[3].err)
		}
	})
}

func TestAStatementTakes64(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		s.calls(1 + 64 + 64 + 2)
		for _, n := range []int{1, 64, 64, 2} {
			st := s.next()
			if len(st.calls) != n {
				t.Errorf("a statement takes %d calls, want %d", len(st.calls), n)
			}
			st.done()
		}
		s.none()
	})
}

// TestCallsOfAKeyKeepTheirOrder has calls of several keys, of which each waits for the one before it.
func TestCallsOfAKeyKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 2)
		s.call(t.Context(), "a1")
		first := s.next()
		for _, p := range []string{"ab2", "b3", "a4", "c5"} {
			s.call(t.Context(), p)
		}
		<-time.After(longest)
		five := s.next() // nothing is under way of its key
		wantCalls(t, five, true, "c5")
		for _, p := range []string{"cc6", "d7"} {
			s.call(t.Context(), p)
		}
		<-time.After(longest)
		five.done()
		six := s.next()
		wantCalls(t, six, false, "d7", "cc6")
		first.done()
		two := s.next()
		wantCalls(t, two, true, "ab2")
		six.done()
		s.none()
		two.done()
		wantCalls(t, s.next(), false, "b3", "a4")
	})
}

func TestACallThatWasRefusedWithOthersIsMadeAlone(t *testing.T) {
	poison := errors.New("poison")
	for name, tt := range map[string]struct {
		err     error
		unknown bool
	}{
		"its fault is not known": {trip.Failed(poison, false), false},
		"a lost connection":      {trip.Failed(poison, true), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, 1)
				calls := s.calls(5)
				behind := s.call(t.Context(), "x6")
				s.next().done()
				shared := s.next()
				shared.fail(tt.err)
				for range len(shared.calls) {
					st := s.next()
					if len(st.calls) != 1 || !st.alone || st.unknown != tt.unknown {
						t.Fatalf("%v, alone %v, unknown %v", st.calls, st.alone, st.unknown)
					}
					if st.calls[0] == "3" {
						st.fail(poison)
					} else {
						st.done()
					}
				}
				behind.want("x6!")
				for i, c := range calls {
					if i == 3 {
						if c.over(); !errors.Is(c.err, poison) {
							t.Errorf("poison: %q, %v", c.result, c.err)
						}
						continue
					}
					c.want(fmt.Sprint(i, "!"))
				}
			})
		})
	}
}

func TestOneOfACompanyMayGoAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		s.call(t.Context(), "0")
		a, b, behind := s.call(t.Context(), "a1"), s.call(t.Context(), "b2"), s.call(t.Context(), "a3")
		s.next().done()
		shared := s.next()
		wantCalls(t, shared, false, "a1", "b2")
		shared.answer <- func() ([]trip.Outcome[string], error) {
			return []trip.Outcome[string]{{Err: fmt.Errorf("its key was there: %w", trip.Alone{})}, {Result: "b2!"}}, nil
		}
		b.want("b2!")
		alone := s.next()
		wantCalls(t, alone, true, "a1")
		s.none() // its key is taken until it has ended
		alone.done()
		a.want("a1!")
		s.next().done()
		behind.want("a3!")
	})
}

func TestAStoreThatIsAwayIsSoForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		calls := s.calls(4)
		s.next().done()
		away := fault.New(fault.Unavailable, "the database is not available")
		s.next().fail(trip.Failed(away, true))
		for _, c := range calls[1:] {
			if c.over(); !errors.Is(c.err, away) {
				t.Errorf("got %q, %v", c.result, c.err)
			}
		}
		s.none()
	})
}

func TestACallerWhoLeavesInTimeChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		s.call(t.Context(), "a1")
		first := s.next()
		ctx, leave := context.WithCancel(t.Context())
		left, other := s.call(ctx, "a2"), s.call(ctx, "b3")
		behind, last := s.call(t.Context(), "a4"), s.call(t.Context(), "b5")
		leave()
		for _, c := range []*pending{left, other} {
			if c.over(); !errors.Is(c.err, context.Canceled) || fault.KindOf(c.err) != fault.Internal {
				t.Errorf("who left got %v", c.err)
			}
		}
		first.done()
		shared := s.next()
		wantCalls(t, shared, false, "b5", "a4")
		shared.done()
		behind.want("a4!")
		last.want("b5!")
		s.none()
	})
}

func TestACallerWhoLeavesTakesNobodyAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		s.call(t.Context(), "0")
		ctx, leave := context.WithCancel(t.Context())
		leaver, stayer := s.call(ctx, "a1"), s.call(t.Context(), "2")
		behind := s.call(t.Context(), "a3")
		s.next().done()
		shared := s.next()
		leave()
		if leaver.over(); !errors.Is(leaver.err, context.Canceled) {
			t.Errorf("who left got %v", leaver.err)
		}
		if shared.ctx.Err() != nil {
			t.Error("the statement has ended with its caller")
		}
		stayer.waits()
		shared.fail(trip.Alone{})
		for range 2 { // nobody makes the call of who left
			s.next().done()
		}
		stayer.want("2!")
		behind.want("a3!")
	})
}

func TestACallerSeesAStatementThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1, func(c *trip.Config[string, string]) { c.SeeThrough = true })
		s.call(t.Context(), "0")
		ctx, leave := context.WithCancel(t.Context())
		aboard, _ := s.call(ctx, "1"), s.call(ctx, "2")
		s.next().done()
		shared := s.next()
		late := s.call(ctx, "3")
		leave()
		if late.over(); !errors.Is(late.err, context.Canceled) {
			t.Errorf("who waited got %v", late.err)
		}
		aboard.waits()
		shared.done()
		aboard.want("1!")
	})
}

func TestPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		s.call(t.Context(), "0")
		stuck := s.next()
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), patience/2)
		defer cancel()
		short, c := s.call(ctx, "1"), s.call(t.Context(), "2")
		<-short.returned
		if took := time.Since(begin); took != patience/2 || fault.KindOf(short.err) != fault.Unavailable || !errors.Is(short.err, context.DeadlineExceeded) {
			t.Errorf("a short deadline: %v after %v", short.err, took)
		}
		<-c.returned
		if took := time.Since(begin); took != patience || fault.KindOf(c.err) != fault.Unavailable || !errors.Is(c.err, context.DeadlineExceeded) {
			t.Errorf("got %v after %v", c.err, took)
		}
		slow := s.calls(2)
		stuck.done()
		shared := s.next()
		<-time.After(2 * patience)
		shared.done()
		slow[0].want("0!") // a statement that has begun is not cut short
	})
}

func TestAPanicReachesEachCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		calls := s.calls(3)
		s.next().done()
		s.next().answer <- func() ([]trip.Outcome[string], error) { panic("broken") }
		for _, c := range calls[1:] {
			c.over()
			if text := fmt.Sprint(c.panicked); !strings.Contains(text, "broken") || !strings.Contains(text, "trip_test.go") {
				t.Errorf("panicked with %s", text)
			}
		}
		few := s.calls(3)
		s.next().answer <- func() ([]trip.Outcome[string], error) { panic("alone") }
		s.next().answer <- func() ([]trip.Outcome[string], error) { return make([]trip.Outcome[string], 1), nil }
		for _, c := range few {
			if c.over(); c.panicked == nil {
				t.Errorf("got %q, %v of a statement that forgot a call", c.result, c.err)
			}
		}
		after := s.call(t.Context(), "3")
		s.next().done()
		after.want("3!")
	})
}

func TestCloseWaitsForAStatementThatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		s.call(t.Context(), "0")
		ctx, leave := context.WithCancel(t.Context())
		s.call(ctx, "1")
		s.call(ctx, "2")
		s.next().done()
		shared := s.next()
		leave()
		closed := make(chan struct{})
		go func() { defer close(closed); s.group.Close() }()
		synctest.Wait()
		select {
		case <-closed:
			t.Fatal("closed before the statement has ended")
		default:
		}
		shared.done()
		<-closed
	})
}
