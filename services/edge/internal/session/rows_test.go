package session_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/fault"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/edge/internal/permission"
	"example.com/hub/services/edge/internal/session"
)

// hub has the rows of sessions as portalhub does; a test of the binary hub has the real one.
type hub struct {
	mu     sync.Mutex
	rows   map[string]*peoplev1.BeginSessionRequest
	asked  []*peoplev1.RenewSessionRequest
	failed error
}

func (h *hub) BeginSession(_ context.Context, in *peoplev1.BeginSessionRequest, _ ...grpc.CallOption) (*peoplev1.BeginSessionResponse, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		h.rows[in.GetHash()] = in
	}
	return &peoplev1.BeginSessionResponse{}, h.failed
}

func (h *hub) RenewSession(_ context.Context, in *peoplev1.RenewSessionRequest, _ ...grpc.CallOption) (*peoplev1.RenewSessionResponse, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, in)
	row := h.rows[in.GetHash()]
	return &peoplev1.RenewSessionResponse{Active: row != nil, Claims: row.GetClaims()}, h.failed
}

func (h *hub) EndSession(_ context.Context, in *peoplev1.EndSessionRequest, _ ...grpc.CallOption) (*peoplev1.EndSessionResponse, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		delete(h.rows, in.GetHash())
	}
	return &peoplev1.EndSessionResponse{}, h.failed
}

// newHub gives a hub without sessions, and two edges that share it, with a bus each.
func newHub(t *testing.T, allowed permission.Map) (h *hub, c *clock, one, two *edge) {
	t.Helper()
	h, c = &hub{rows: map[string]*peoplev1.BeginSessionRequest{}}, newClock()
	at := func() *edge {
		b := membus.New()
		t.Cleanup(func() { _ = b.Close(context.Background()) })
		e := open(t, options{clock: c, bus: b})
		e.Sessions = e.with(t, session.NewRows(h, allowed))
		return e
	}
	return h, c, at(), at()
}

var carla = session.Person{Username: amy.Username, Name: amy.Name, Claims: []string{"hub-admin"}, Permissions: []string{"apps"}}

func TestASessionCountsAtEachEdge(t *testing.T) {
	h, c, one, two := newHub(t, nil)
	cookie := one.begin(t)
	for range 5 {
		c.pass(4 * minute)
		for _, e := range []*edge{two, one} {
			s, next := e.check(t, cookie)
			if next == cookie {
				t.Fatal("it is not renewed")
			}
			cookie = next
			if !e.Lives(t.Context(), s.ID) {
				t.Error("its streams end")
			}
			c.pass(3 * minute)
		}
	}
	last := h.asked[len(h.asked)-1]
	if !last.GetPassive() || last.GetIdle().AsDuration() != 30*minute || last.GetLifetime().AsDuration() != 8*time.Hour {
		t.Errorf("asked for %v", last)
	}
	if len(h.rows) != 1 {
		t.Errorf("there are %d rows", len(h.rows))
	}
	for hash := range h.rows {
		if s, _ := one.check(t, cookie); s.ID != hash {
			t.Errorf("the row has the key %q, and the session the id %q", hash, s.ID)
		}
	}
}

// TestALogoutThatAnEdgeDoesNotHear holds there when the cookie is to be renewed, and at once for what needs a
// permission.
func TestALogoutThatAnEdgeDoesNotHear(t *testing.T) {
	_, c, one, two := newHub(t, nil)
	cookie := one.begin(t)
	s, _ := one.check(t, cookie)
	if err := one.End(httptest.NewRecorder(), request(cookie), s); err != nil {
		t.Fatal(err)
	}
	one.wantRefused(t, fault.Unauthenticated, cookie)
	c.pass(minute*5/2 - 1)
	two.check(t, cookie)
	if two.Lives(t.Context(), s.ID) {
		t.Error("its streams go on")
	}
	c.pass(1)
	two.wantRefused(t, fault.Unauthenticated, cookie)

	fresh := one.begin(t)
	s, _ = one.check(t, fresh)
	if err := one.End(httptest.NewRecorder(), request(fresh), s); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Check(httptest.NewRecorder(), request(fresh), true); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("what needs a permission is answered %v", err)
	}
}

func TestASessionWithoutARowHasEnded(t *testing.T) {
	h, c, one, _ := newHub(t, nil)
	cookie := one.begin(t)
	clear(h.rows)
	c.pass(minute * 5 / 2)
	one.wantRefused(t, fault.Unauthenticated, cookie)
}

// TestPermissionsAreThoseOfToday has other settings than at the login.
func TestPermissionsAreThoseOfToday(t *testing.T) {
	_, c, one, _ := newHub(t, permission.Map{"claim:hub-admin": {"todos", "messages"}, "claim:staff": {"content"}})
	w := httptest.NewRecorder()
	if err := one.Begin(w, request(), carla); err != nil {
		t.Fatal(err)
	}
	cookie := taken(t, w)
	if s, _ := one.check(t, cookie); !slices.Equal(s.Permissions, []string{"apps"}) {
		t.Errorf("after the login %v", s.Permissions)
	}
	c.pass(minute * 5 / 2)
	if s, _ := one.check(t, cookie); !slices.Equal(s.Permissions, []string{"messages", "todos"}) {
		t.Errorf("after a renewal %v", s.Permissions)
	}
}

func TestAHubThatIsAway(t *testing.T) {
	h, c, one, _ := newHub(t, nil)
	cookie := one.begin(t)
	s, _ := one.check(t, cookie)
	for _, failed := range []error{
		status.Error(codes.Unavailable, "away"), status.Error(codes.DeadlineExceeded, "slow"), errors.New("else"),
	} {
		h.failed = failed
		c.pass(5*minute - 1)
		if _, next := one.check(t, cookie); next != cookie {
			t.Error("it is renewed")
		}
		c.pass(1)
		one.wantRefused(t, fault.Unavailable, cookie)
		if !one.Lives(t.Context(), s.ID) {
			t.Error("its streams end")
		}
		if err := one.Begin(httptest.NewRecorder(), request(), amy); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a login is answered %v", err)
		}
		if err := one.End(httptest.NewRecorder(), request(cookie), s); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("a logout is answered %v", err)
		}
		h.failed = nil
		_, cookie = one.check(t, cookie)
	}
}
