package people_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/edge/internal/login"
	"example.com/hub/services/edge/internal/people"
)

// hub knows every id of a letter "u" and a username, and may be away.
type hub struct {
	peoplev1.PeopleServiceClient

	asked   [][]string
	found   int
	err     error
	outcome peoplev1.LogInOutcome
	roles   []string
}

func (h *hub) ResolveUsers(_ context.Context, in *peoplev1.ResolveUsersRequest, _ ...grpc.CallOption) (*peoplev1.ResolveUsersResponse, error) {
	h.asked = append(h.asked, in.GetUserIds())
	out := &peoplev1.ResolveUsersResponse{}
	for _, id := range in.GetUserIds() {
		name, ok := strings.CutPrefix(id, "u")
		if !ok {
			name = ""
		}
		out.Usernames = append(out.Usernames, name)
	}
	return out, h.err
}

func (h *hub) LogIn(context.Context, *peoplev1.LogInRequest, ...grpc.CallOption) (*peoplev1.LogInResponse, error) {
	return &peoplev1.LogInResponse{Outcome: h.outcome}, h.err
}

func (h *hub) GetPerson(_ context.Context, in *peoplev1.GetPersonRequest, _ ...grpc.CallOption) (*peoplev1.GetPersonResponse, error) {
	h.found++
	if in.GetUsername() == "nobody" {
		return nil, status.Error(codes.NotFound, "not known")
	}
	return &peoplev1.GetPersonResponse{
		User:    &peoplev1.User{Username: in.GetUsername(), UserId: "1", Name: "N", Email: "e@x", DeptId: "d"},
		RoleIds: h.roles,
	}, h.err
}

func (h *hub) SelectUsers(context.Context, *peoplev1.SelectUsersRequest, ...grpc.CallOption) (*peoplev1.SelectUsersResponse, error) {
	return &peoplev1.SelectUsersResponse{Usernames: []string{"amy"}}, h.err
}

// refusals are what the directory may answer for reasons that are none of the caller's.
var refusals = []error{
	status.Error(codes.Unavailable, "away"), status.Error(codes.Unauthenticated, "the key is not good"),
	status.Error(codes.PermissionDenied, "not for you"), status.Error(codes.Internal, "internal error"),
}

func TestWhoMayLogInIsForTheDirectoryToSay(t *testing.T) {
	for outcome, want := range map[peoplev1.LogInOutcome]fault.Kind{
		peoplev1.LogInOutcome_LOG_IN_OUTCOME_INACTIVE:      fault.Forbidden,
		peoplev1.LogInOutcome_LOG_IN_OUTCOME_UNKNOWN:       fault.Forbidden,
		peoplev1.LogInOutcome_LOG_IN_OUTCOME_OTHER_SUBJECT: fault.Forbidden,
		peoplev1.LogInOutcome_LOG_IN_OUTCOME_UNSPECIFIED:   fault.Unavailable,
	} {
		err := people.NewDirectory(&hub{outcome: outcome}).LogIn(t.Context(), token.Identity{})
		other := outcome == peoplev1.LogInOutcome_LOG_IN_OUTCOME_OTHER_SUBJECT
		if fault.KindOf(err) != want || errors.Is(err, login.ErrOtherSubject) != other {
			t.Errorf("%v: %v", outcome, err)
		}
	}
	if err := people.NewDirectory(&hub{outcome: peoplev1.LogInOutcome_LOG_IN_OUTCOME_ADMITTED}).LogIn(t.Context(), token.Identity{}); err != nil {
		t.Error(err)
	}
	for _, refusal := range refusals {
		d := people.NewDirectory(&hub{err: refusal})
		if err := d.LogIn(t.Context(), token.Identity{}); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("login: %v", err)
		}
		if _, _, err := d.Find(t.Context(), "amy"); fault.KindOf(err) != fault.Unavailable {
			t.Errorf("find: %v", err)
		}
		if _, err := d.Select(t.Context(), nil, nil); status.Code(err) != codes.Unavailable {
			t.Errorf("select: %v", err)
		}
	}
}

func TestAPersonOfTheDirectory(t *testing.T) {
	d := people.NewDirectory(&hub{roles: []string{"staff"}})
	got, ok, err := d.Find(t.Context(), "amy")
	want := people.Person{Username: "amy", UserID: "1", DeptID: "d", Name: "N", Email: "e@x", Roles: []string{"staff"}}
	if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
		t.Errorf("found %v, %v (-want +got):\n%s", ok, err, diff)
	}
	if _, ok, err := d.Find(t.Context(), "nobody"); ok || err != nil {
		t.Errorf("nobody: %v, %v", ok, err)
	}
	narrow := status.Error(codes.InvalidArgument, "narrow the filter")
	if _, err := people.NewDirectory(&hub{err: narrow}).Select(t.Context(), nil, nil); !errors.Is(err, narrow) {
		t.Errorf("select: %v", err)
	}
}

// clock is the time of a test.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

func usernames(t *testing.T, n *people.Names, ids ...string) []string {
	t.Helper()
	names, err := n.Usernames(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestNamesAreRememberedForAMinuteAndMissesForFiveSeconds(t *testing.T) {
	c, h := &clock{now: time.Unix(1, 0)}, &hub{}
	n := people.NewNames(h, c.time)
	for _, step := range []struct {
		pass time.Duration
		asks []string
	}{
		{0, []string{"uamy", "x", "uben"}},
		{4 * time.Second, nil},
		{time.Second, []string{"x"}},
		{55*time.Second - 1, []string{"x"}},
		{1, []string{"uamy", "uben"}},
	} {
		c.now = c.now.Add(step.pass)
		h.asked = nil
		got := usernames(t, n, "uamy", "", "x", "uben", "uamy", strings.Repeat("u", 2000))
		if diff := cmp.Diff([]string{"amy", "", "", "ben", "amy", ""}, got); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
		var want [][]string
		if step.asks != nil {
			want = [][]string{step.asks}
		}
		if diff := cmp.Diff(want, h.asked); diff != "" {
			t.Errorf("after %s more, asked (-want +got):\n%s", step.pass, diff)
		}
	}
}

func TestManyNamesAreAskedForInParts(t *testing.T) {
	h := &hub{}
	ids := make([]string, 100_000)
	for i := range ids {
		ids[i] = fmt.Sprint("u", i)
	}
	got := usernames(t, people.NewNames(h, nil), ids...)
	for i, name := range got {
		if name != fmt.Sprint(i) {
			t.Fatalf("%s is %q", ids[i], name)
		}
	}
	for _, part := range h.asked {
		if len(part) > 10_000 {
			t.Errorf("%d at once", len(part))
		}
	}
}

func TestNamesOfADirectoryThatIsAway(t *testing.T) {
	h := &hub{}
	n := people.NewNames(h, nil)
	usernames(t, n, "uamy")
	for _, h.err = range refusals {
		if _, err := n.Usernames(t.Context(), []string{"uamy", "uben"}); status.Code(err) != codes.Unavailable {
			t.Errorf("%v: %v", h.err, err)
		}
		if got := usernames(t, n, "uamy"); got[0] != "amy" {
			t.Errorf("what is remembered: %q", got)
		}
	}
	h.err = nil
	if got := usernames(t, n, "uben"); got[0] != "ben" {
		t.Errorf("a failure is remembered: %q", got)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	h.err = gone.Err()
	if _, err := n.Usernames(gone, []string{"x"}); status.Code(err) != codes.Canceled {
		t.Errorf("a caller who is gone: %v", err)
	}
}

func TestRolesAreRememberedForAMinute(t *testing.T) {
	c, h := &clock{now: time.Unix(1, 0)}, &hub{roles: []string{"staff"}}
	r := people.NewRoles(people.NewDirectory(h), c.time)
	for pass, asked := range map[time.Duration]int{time.Minute - 1: 1, time.Minute: 2} {
		h.found = 0
		for range 2 {
			if got, err := r.Of(t.Context(), fmt.Sprint("amy", pass)); err != nil || len(got) != 1 {
				t.Errorf("roles %v, %v", got, err)
			}
			c.now = c.now.Add(pass)
		}
		if h.found != asked {
			t.Errorf("after %s: asked %d times", pass, h.found)
		}
	}
	h.err = refusals[0]
	if _, err := r.Of(t.Context(), "ben"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("away: %v", err)
	}
}
