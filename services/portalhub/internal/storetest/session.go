package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/retention"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/session"
)

var sessionCases = []testCase{
	{"Session/begin keeps every value byte by byte", testSessionValues},
	{"Session/begin twice changes nothing", testSessionBegunTwice},
	{"Session/get unknown", testSessionUnknown},
	{"Session/get tells hashes apart byte by byte", testSessionHashes},
	{"Session/renew notes the later time", testSessionRenew},
	{"Session/renew does not revive", testSessionEndedStays},
	{"Session/end stands as it was first", testSessionEnd},
	{"Session/an end wins over renewals", testSessionRace},
	{"Session/retention removes what was renewed before", testSessionRetention},
	{"Session/retention of an empty store", testSessionRetentionEmpty},
	{"Session/one of many begins counts", testSessionBeginRace},
}

func beginSession(t *testing.T, s portalhub.Store, p session.BeginParams) session.Session {
	t.Helper()
	if err := s.BeginSession(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return session.Session{Hash: p.Hash, Username: p.Username, Claims: p.Claims, Begun: p.Now, Renewed: p.Now}
}

func login(hash, user string, millis int) session.BeginParams {
	return session.BeginParams{Hash: hash, Username: user, Claims: []string{"staff"}, Now: at(millis)}
}

func wantSession(t *testing.T, s portalhub.Store, want session.Session) {
	t.Helper()
	got, err := s.GetSession(t.Context(), session.GetParams{Hash: want.Hash})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func renewSession(t *testing.T, s portalhub.Store, hash string, millis int) (lives bool) {
	t.Helper()
	lives, err := s.RenewSession(t.Context(), session.RenewParams{Hash: hash, Now: at(millis)})
	if err != nil {
		t.Fatal(err)
	}
	return lives
}

func endSession(t *testing.T, s portalhub.Store, hash string, millis int) {
	t.Helper()
	if err := s.EndSession(t.Context(), session.EndParams{Hash: hash, Now: at(millis)}); err != nil {
		t.Fatal(err)
	}
}

func testSessionValues(t *testing.T, s portalhub.Store) {
	many := make([]string, session.MaxClaims)
	for i := range many {
		many[i] = fmt.Sprint("role ", i)
	}
	for i, claims := range [][]string{nil, {""}, {"NULL", `a,"b"`, `{c}`, `\`, "ä €\U0001f600", " "}, {strings.Repeat("x", 128)}, many} {
		p := session.BeginParams{Hash: fmt.Sprint(i), Username: "Ann ä\U0001f600 ", Claims: claims, Now: at(i)}
		wantSession(t, s, beginSession(t, s, p))
	}
}

func testSessionBegunTwice(t *testing.T, s portalhub.Store) {
	first := beginSession(t, s, login("a", "ann", 0))
	beginSession(t, s, login("a", "ann", 5))
	wantSession(t, s, first)
}

func testSessionUnknown(t *testing.T, s portalhub.Store) {
	if _, err := s.GetSession(t.Context(), session.GetParams{Hash: "a"}); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("%v, want ErrUnknown", err)
	}
	if renewSession(t, s, "a", 0) {
		t.Error("what is not there was renewed")
	}
	endSession(t, s, "a", 0)
}

func testSessionHashes(t *testing.T, s portalhub.Store) {
	for i, hash := range []string{"a", "A", "a ", "a-", "a_"} {
		p := login(hash, fmt.Sprint("user ", i), i)
		beginSession(t, s, p)
	}
	for i, hash := range []string{"a", "A", "a ", "a-", "a_"} {
		got, err := s.GetSession(t.Context(), session.GetParams{Hash: hash})
		if err != nil || got.Username != fmt.Sprint("user ", i) {
			t.Errorf("%q is %+v, %v", hash, got, err)
		}
	}
}

func testSessionRenew(t *testing.T, s portalhub.Store) {
	want := beginSession(t, s, login("a", "ann", 0))
	other := beginSession(t, s, login("b", "ann", 0))
	for _, millis := range []int{5, 3, 7} {
		if !renewSession(t, s, "a", millis) {
			t.Error("it does not live")
		}
		if now := at(millis); now.After(want.Renewed) {
			want.Renewed = now
		}
		wantSession(t, s, want)
	}
	wantSession(t, s, other)
}

func testSessionEndedStays(t *testing.T, s portalhub.Store) {
	want := beginSession(t, s, login("a", "ann", 0))
	endSession(t, s, "a", 5)
	if renewSession(t, s, "a", 9) {
		t.Error("an ended session was renewed")
	}
	ended := at(5)
	want.Ended = &ended
	wantSession(t, s, want)
}

func testSessionEnd(t *testing.T, s portalhub.Store) {
	want := beginSession(t, s, login("a", "ann", 0))
	other := beginSession(t, s, login("b", "ann", 0))
	endSession(t, s, "a", 5)
	endSession(t, s, "a", 9)
	ended := at(5)
	want.Ended = &ended
	wantSession(t, s, want)
	wantSession(t, s, other)
}

// testSessionRace renews a session from all sides while it is ended.
func testSessionRace(t *testing.T, s portalhub.Store) {
	for round := range 20 {
		hash := fmt.Sprint(round)
		beginSession(t, s, login(hash, "ann", 0))
		var g errgroup.Group
		for i := range 8 {
			g.Go(func() error {
				if i == 4 {
					return s.EndSession(t.Context(), session.EndParams{Hash: hash, Now: at(i)})
				}
				_, err := s.RenewSession(t.Context(), session.RenewParams{Hash: hash, Now: at(i)})
				return err
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		if got, err := s.GetSession(t.Context(), session.GetParams{Hash: hash}); err != nil || got.Ended == nil {
			t.Fatalf("it is %+v, %v", got, err)
		}
		if renewSession(t, s, hash, 99) {
			t.Fatal("it lives")
		}
	}
}

func testSessionBeginRace(t *testing.T, s portalhub.Store) {
	var g errgroup.Group
	for i := range 8 {
		g.Go(func() error { return s.BeginSession(t.Context(), login("a", fmt.Sprint("user ", i), i)) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := s.GetSession(t.Context(), session.GetParams{Hash: "a"})
	if err != nil || got.Username != fmt.Sprint("user ", got.Begun.Sub(start).Milliseconds()) {
		t.Errorf("it is %+v, %v", got, err)
	}
}

// removeOldSessions goes through all users as a retention.Loop does, with small batches, and gives the number
// of the sessions that were removed.
func removeOldSessions(t *testing.T, s portalhub.Store, millis int) (removed int) {
	t.Helper()
	b := retention.Batch{Before: at(millis), Users: 2, Rows: 3}
	for range 100 {
		r, err := s.RemoveOld(t.Context(), b)
		if err != nil || r.Busy {
			t.Fatalf("remove old sessions behind %q: busy %v, %v", b.After, r.Busy, err)
		}
		if r.Removed > b.Rows {
			t.Errorf("a batch removed %d sessions, want at most %d", r.Removed, b.Rows)
		}
		if removed += r.Removed; r.Done {
			return removed
		}
		b.After = r.Next
	}
	t.Fatal("the end does not come")
	return 0
}

// testSessionRetention has sessions, ended and not, that were renewed last just before, at and after the time.
func testSessionRetention(t *testing.T, s portalhub.Store) {
	const before = 1000
	var gone, left, exist []string
	for _, user := range []string{"ann", "ann ", "Bob", "bob", "zoe\U0001f600"} {
		for _, millis := range []int{1, before - 1, before, before + 1} {
			for _, ended := range []bool{false, true} {
				hash := fmt.Sprint(user, millis, ended)
				beginSession(t, s, login(hash, user, 0))
				renewSession(t, s, hash, millis)
				if ended {
					endSession(t, s, hash, before+5)
				}
				if millis < before {
					gone = append(gone, hash)
				} else {
					left = append(left, hash)
				}
			}
		}
	}
	if n := removeOldSessions(t, s, before); n != len(gone) {
		t.Errorf("removed %d sessions, want %d", n, len(gone))
	}
	for _, hash := range slices.Concat(gone, left) {
		if _, err := s.GetSession(t.Context(), session.GetParams{Hash: hash}); err == nil {
			exist = append(exist, hash)
		}
	}
	if diff := cmp.Diff(left, exist); diff != "" {
		t.Errorf("sessions that are left (-want +got):\n%s", diff)
	}
	if n := removeOldSessions(t, s, before); n != 0 {
		t.Errorf("the second time removed %d sessions", n)
	}
}

func testSessionRetentionEmpty(t *testing.T, s portalhub.Store) {
	if n := removeOldSessions(t, s, 0); n != 0 {
		t.Errorf("removed %d sessions of an empty store", n)
	}
}
