package session_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/session"
)

func TestAStoreThatIsAway(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	s, _ := e.check(t, c)
	e.store.away = errAway
	e.clock.pass(5*minute - 1)
	if _, next := e.check(t, c); next != c {
		t.Error("it is renewed")
	}
	e.clock.pass(1)
	e.wantRefused(t, fault.Unavailable, c)
	if !e.Lives(t.Context(), s.ID) {
		t.Error("its streams end")
	}
	if err := e.Begin(httptest.NewRecorder(), request(), amy); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("a login is answered %v", err)
	}
	w := httptest.NewRecorder()
	if err := e.End(w, request(c), s); fault.KindOf(err) != fault.Unavailable || len(w.Header()) != 0 {
		t.Errorf("a logout is answered %v, %v", err, w.Header())
	}
	if !e.Stats().Away {
		t.Error("nobody is told")
	}
	e.store.away = nil
	if _, next := e.check(t, c); next == c {
		t.Error("it does not come back with the store")
	}
	if log := e.log.String(); strings.Count(log, "sessions are not renewed") != 1 || strings.Count(log, "sessions are renewed again") != 1 {
		t.Error(log)
	}
}

// TestAStoreThatHangs holds no request for longer than two seconds.
func TestAStoreThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hanging{store: &store{Memory: session.NewMemory()}}
		e := open(t, options{})
		c := e.begin(t)
		s, _ := e.check(t, c)
		hung := e.with(t, h)
		e.clock.pass(3 * minute)
		start := time.Now()
		if _, err := hung.Check(httptest.NewRecorder(), request(c), false); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("it took %s", took)
		}
		if !hung.Lives(t.Context(), s.ID) {
			t.Error("its streams end")
		}
		// The next ones do not wait, for a second.
		start = time.Now()
		if _, err := hung.Check(httptest.NewRecorder(), request(c), false); err != nil || time.Since(start) != 0 {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		// Whoever hangs up waits for nobody.
		e.clock.pass(time.Second)
		r := request(c)
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		start = time.Now()
		if _, err := hung.Check(httptest.NewRecorder(), r.WithContext(ctx), false); err != nil || time.Since(start) != 0 {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		<-time.After(2 * time.Second) // for the question that nobody waits for
	})
}

func TestRequestsThatComeTogetherAskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := open(t, options{})
		c := e.begin(t)
		h := &hanging{store: e.store, answer: make(chan struct{})}
		slow := e.with(t, h)
		e.clock.pass(3 * minute)
		done := make(chan error)
		for range 10 {
			go func() {
				_, err := slow.Check(httptest.NewRecorder(), request(c), false)
				done <- err
			}()
		}
		synctest.Wait()
		close(h.answer)
		for range 10 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if e.store.asked != 1 {
			t.Errorf("the store was asked %d times", e.store.asked)
		}
	})
}

func TestWhatNeedsAPermissionAsksEachTime(t *testing.T) {
	e := open(t, options{})
	c := e.begin(t)
	ask := func() (session.Session, *httptest.ResponseRecorder, error) {
		w := httptest.NewRecorder()
		s, err := e.Check(w, request(c), true)
		return s, w, err
	}
	if s, w, err := ask(); err != nil || !slices.Equal(s.Permissions, amy.Permissions) || e.store.asked != 1 || len(w.Result().Cookies()) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	e.store.permissions = []string{"apps"}
	s, w, err := ask()
	if err != nil || !slices.Equal(s.Permissions, []string{"apps"}) || e.store.asked != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	if s, _ := e.check(t, taken(t, w)); !slices.Equal(s.Permissions, []string{"apps"}) {
		t.Errorf("the new cookie says %+v", s)
	}
	e.store.away = errAway
	if _, _, err := ask(); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("while the store is away: %v", err)
	}
	e.store.away = session.ErrEnded
	if _, _, err := ask(); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("when the person is not active: %v", err)
	}
	e.store.away = nil
	e.wantRefused(t, fault.Unauthenticated, c)
}

// hanging is a store that answers when the test lets it.
type hanging struct {
	*store
	answer chan struct{} // closed when it may
}

func (h *hanging) Renew(ctx context.Context, p session.RenewParams) ([]string, error) {
	select {
	case <-h.answer:
		return h.store.Renew(ctx, p)
	case <-ctx.Done():
		return nil, errors.New("no answer")
	}
}
