package trip_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.com/hub/pkg/store/trip"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = time.Second

// enough is the number of calls that begin a statement beside another, and longest the time after which one does.
const (
	enough  = 16
	longest = time.Millisecond
)

// statement is one that is under way until it is answered.
type statement struct {
	calls          []string
	alone, unknown bool
	ctx            context.Context //nolint:containedctx // tests look at it
	answer         chan func() ([]trip.Outcome[string], error)
}

// done answers each call with its text and an exclamation mark.
func (s *statement) done() {
	s.answer <- func() ([]trip.Outcome[string], error) {
		var all []trip.Outcome[string]
		for _, c := range s.calls {
			all = append(all, trip.Outcome[string]{Result: c + "!"})
		}
		return all, nil
	}
}

func (s *statement) fail(err error) {
	s.answer <- func() ([]trip.Outcome[string], error) { return nil, err }
}

// store has a statement wait in begun until the test takes it, and then for its answer.
type store struct {
	t     *testing.T
	group *trip.Group[string, string, string]
	begun chan *statement
	// ended is closed at the end of the test.
	ended chan struct{}
}

var errEnded = errors.New("the test has ended")

// newStore makes a store in a bubble.
func newStore(t *testing.T, trips int, set ...func(*trip.Config[string, string])) *store {
	s := &store{t: t, begun: make(chan *statement), ended: make(chan struct{})}
	t.Cleanup(func() { close(s.ended) })
	config := trip.Config[string, string]{
		Trips: trips, Patience: patience,
		One: func(ctx context.Context, p string, unknown bool) (string, error) {
			all, err := s.run(ctx, &statement{calls: []string{p}, alone: true, unknown: unknown})
			if err != nil {
				return "", err
			}
			return all[0].Result, all[0].Err
		},
		Many: func(ctx context.Context, all []string) ([]trip.Outcome[string], error) {
			return s.run(ctx, &statement{calls: all})
		},
	}
	for _, f := range set {
		f(&config)
	}
	s.group = trip.New[string](config)
	return s
}

func (s *store) run(ctx context.Context, st *statement) ([]trip.Outcome[string], error) {
	st.ctx, st.answer = ctx, make(chan func() ([]trip.Outcome[string], error))
	select {
	case s.begun <- st:
	case <-s.ended:
		return nil, errEnded
	}
	select {
	case answer := <-st.answer:
		return answer()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.ended:
		return nil, errEnded
	}
}

// next is the next statement that begins.
func (s *store) next() *statement {
	s.t.Helper()
	synctest.Wait()
	select {
	case st := <-s.begun:
		return st
	default:
		s.t.Fatal("no statement begins")
		return nil
	}
}

// none checks that no statement begins.
func (s *store) none() {
	s.t.Helper()
	synctest.Wait()
	select {
	case st := <-s.begun:
		s.t.Fatalf("a statement of %v begins", st.calls)
	default:
	}
}

// pending is a call that was made.
type pending struct {
	t        *testing.T
	returned chan struct{}
	result   string
	err      error
	panicked any
}

// call makes a call whose keys are the letters before its number, if any: "ab1" has the keys a and b.
func (s *store) call(ctx context.Context, p string) *pending {
	c := &pending{t: s.t, returned: make(chan struct{})}
	go func() {
		defer close(c.returned)
		defer func() { c.panicked = recover() }()
		c.result, c.err = s.group.Do(ctx, p, keysOf(p)...)
	}()
	synctest.Wait() // so that calls come in the order of the test
	return c
}

func keysOf(p string) (keys []string) {
	for _, c := range p {
		if c < 'a' {
			break
		}
		keys = append(keys, string(c))
	}
	return keys
}

// calls makes calls of keys of their own.
func (s *store) calls(n int) (all []*pending) {
	for i := range n {
		all = append(all, s.call(s.t.Context(), fmt.Sprint(i)))
	}
	return all
}

// want checks that the call has returned this.
func (c *pending) want(result string) {
	c.t.Helper()
	if c.over(); c.err != nil || c.result != result {
		c.t.Errorf("got %q, %v, want %q", c.result, c.err, result)
	}
}

// over checks that the call has returned.
func (c *pending) over() {
	c.t.Helper()
	synctest.Wait()
	select {
	case <-c.returned:
	default:
		c.t.Fatal("the call waits")
	}
}

// waits checks that it has not.
func (c *pending) waits() {
	c.t.Helper()
	synctest.Wait()
	select {
	case <-c.returned:
		c.t.Fatalf("the call returned %q, %v", c.result, c.err)
	default:
	}
}
