package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/people"
)

var directoryCases = []testCase{
	{"Department/creates and replaces", testDepartment},
	{"Department/may come before the one above it", testDepartmentEarly},
	{"Department/stands never below itself", testDepartmentCircle},
	{"Department/stands at most sixteen deep", testDepartmentDepth},
	{"Department/two that move at once make no circle", testDepartmentRace},
	{"Role/replaces its members", testRole},
	{"Role/a store with members answers", testRolePing},
	{"Role/of two that come at once one counts", testRoleRace},
	{"People/walk has who matches, by username", testWalk},
	{"People/select has who matches", testSelect},
	{"People/reconcile makes inactive exactly who is gone", testReconcile},
	{"People/who is told of meanwhile stays active", testReconcileRace},
}

func department(t *testing.T, s portalhub.Store, id, parent string) people.DepartmentResult {
	t.Helper()
	result, err := s.UpsertDepartment(t.Context(), people.UpsertDepartmentParams{
		Stamp: told(0), ID: id, ParentID: parent, Name: "Name of " + id,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func upsertRole(t *testing.T, s portalhub.Store, id string, userIDs ...string) people.RoleResult {
	t.Helper()
	result, err := s.UpsertRole(t.Context(), people.UpsertRoleParams{Stamp: told(0), ID: id, Name: "Name of " + id, UserIDs: userIDs})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func testDepartment(t *testing.T, s portalhub.Store) {
	want := people.Department{ID: "a", Name: "Name of a", Audit: people.Audit{
		CreateTime: at(0), ModifyTime: at(0), CreatorID: "hr", ModifierID: "hr",
	}}
	if diff := cmp.Diff(people.DepartmentResult{Department: want}, department(t, s, "a", "")); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
	got, err := s.UpsertDepartment(t.Context(), people.UpsertDepartmentParams{
		Stamp: people.Stamp{By: "erp", Now: at(5)}, ID: "a", ParentID: "b", Name: "A",
	})
	if err != nil {
		t.Fatal(err)
	}
	want.ParentID, want.Name, want.ModifyTime, want.ModifierID = "b", "A", at(5), "erp"
	if diff := cmp.Diff(people.DepartmentResult{Department: want}, got); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
}

func testDepartmentEarly(t *testing.T, s portalhub.Store) {
	department(t, s, "c", "b")
	e := entry("1", "amy")
	e.DeptID = "c"
	upsertPeople(t, s, 0, e)
	for _, parent := range []string{"b", "a"} {
		if got := walk(t, s, people.WalkParams{Filter: people.Filter{DeptID: parent}, Size: 9}); len(got) != map[string]int{"b": 1}[parent] {
			t.Errorf("%d people of %s", len(got), parent)
		}
	}
	department(t, s, "b", "a")
	if got := walk(t, s, people.WalkParams{Filter: people.Filter{DeptID: "a"}, Size: 9}); len(got) != 1 {
		t.Errorf("%d people of a", len(got))
	}
}

func testDepartmentCircle(t *testing.T, s portalhub.Store) {
	department(t, s, "a", "")
	department(t, s, "b", "a")
	department(t, s, "c", "b")
	for _, parent := range []string{"a", "b", "c"} {
		if result := department(t, s, "a", parent); !result.Circle {
			t.Errorf("a below %s: %+v", parent, result)
		}
	}
	if result := department(t, s, "c", "a"); result.Circle || result.Deep {
		t.Errorf("c below a: %+v", result)
	}
}

func testDepartmentDepth(t *testing.T, s portalhub.Store) {
	id := func(n int) string { return fmt.Sprintf("d%02d", n) }
	department(t, s, id(1), "")
	for n := 2; n <= people.MaxDepth; n++ {
		if result := department(t, s, id(n), id(n-1)); result.Deep {
			t.Fatalf("%d are too deep", n)
		}
	}
	if result := department(t, s, "more", id(people.MaxDepth)); !result.Deep {
		t.Errorf("one more: %+v", result)
	}
	if result := department(t, s, id(1), "top"); !result.Deep {
		t.Errorf("one above all: %+v", result)
	}
	department(t, s, "x", "")
	department(t, s, "y", "x")
	if result := department(t, s, "x", id(people.MaxDepth-1)); !result.Deep {
		t.Errorf("two below: %+v", result)
	}
	if result := department(t, s, "x", id(people.MaxDepth-2)); result.Deep || result.Circle {
		t.Errorf("two below one higher: %+v", result)
	}
}

func testDepartmentRace(t *testing.T, s portalhub.Store) {
	for round := range 10 {
		var group errgroup.Group
		a, b := fmt.Sprint("a", round), fmt.Sprint("b", round)
		department(t, s, a, "")
		department(t, s, b, "")
		circles := make([]bool, 2)
		for i, move := range [][2]string{{a, b}, {b, a}} {
			group.Go(func() error {
				result, err := s.UpsertDepartment(t.Context(), people.UpsertDepartmentParams{
					Stamp: told(1), ID: move[0], ParentID: move[1], Name: "moved",
				})
				circles[i] = result.Circle
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if circles[0] == circles[1] {
			t.Errorf("refused %v", circles)
		}
	}
}

func testRole(t *testing.T, s portalhub.Store) {
	upsertPeople(t, s, 0, entry("1", "amy"), entry("2", "ben"))
	for _, step := range []struct {
		members []string
		want    people.RoleResult
		names   []string
	}{
		{[]string{"1"}, people.RoleResult{Members: 1}, []string{"amy"}},
		{[]string{"1", "2", "3"}, people.RoleResult{Members: 3, Unknown: 1}, []string{"amy", "ben"}},
		{[]string{"2"}, people.RoleResult{Members: 1}, []string{"ben"}},
		{nil, people.RoleResult{}, nil},
	} {
		if got := upsertRole(t, s, "staff", step.members...); got != step.want {
			t.Errorf("members %v: %+v, want %+v", step.members, got, step.want)
		}
		got := walk(t, s, people.WalkParams{Filter: people.Filter{RoleID: "staff"}, Size: 9})
		if diff := cmp.Diff(step.names, names(got), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("members %v (-want +got):\n%s", step.members, diff)
		}
	}
}

func testRolePing(t *testing.T, s portalhub.Store) {
	upsertRole(t, s, "staff", "1")
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func testRoleRace(t *testing.T, s portalhub.Store) {
	lists := [][]string{{"1", "2"}, {"3", "4"}}
	for range 10 {
		var group errgroup.Group
		for _, ids := range lists {
			group.Go(func() error {
				_, err := s.UpsertRole(t.Context(), people.UpsertRoleParams{Stamp: told(0), ID: "staff", Name: "n", UserIDs: ids})
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := upsertRole(t, s, "other"); got.Members != 0 {
			t.Errorf("another role has %d", got.Members)
		}
		upsertPeople(t, s, 0, entry("1", "a"), entry("2", "b"), entry("3", "c"), entry("4", "d"))
		got := names(walk(t, s, people.WalkParams{Filter: people.Filter{RoleID: "staff"}, Size: 9}))
		if !slices.Equal(got, []string{"a", "b"}) && !slices.Equal(got, []string{"c", "d"}) {
			t.Errorf("members %v", got)
		}
	}
}

// testReconcile draws directories and lists, and compares who is made inactive with what a plain reading of the
// rule says. Repeated it changes nothing.
func testReconcile(t *testing.T, s portalhub.Store) {
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the draws are to be the same each time
	logIn(t, s, loginOf("zoe"), true)
	for round := range 30 {
		asOf := start.Truncate(time.Second).Add(time.Duration(round+1) * time.Hour)
		p := people.ReconcileParams{
			Stamp: people.Stamp{By: "hr", Now: asOf.Add(time.Minute)}, AsOf: asOf, From: fmt.Sprintf("%02d", random.IntN(10)),
			MaxClose: int64(random.IntN(12)), DryRun: random.IntN(4) == 0,
		}
		if random.IntN(2) == 0 {
			to := fmt.Sprintf("%02d", 15+random.IntN(10))
			p.To = &to
		}
		before := map[string]people.Person{}
		var gone []string
		var missing int64
		for n := range 25 {
			e := entry(fmt.Sprintf("%02d", n), fmt.Sprint("user", n))
			e.Active = random.IntN(6) > 0
			st := people.Stamp{By: "hr", Now: asOf.Add(time.Duration(random.IntN(3)-2) * time.Second)}
			if _, err := s.UpsertPeople(t.Context(), st, []people.Entry{e}); err != nil {
				t.Fatal(err)
			}
			person := getPerson(t, s, e.Username).Person
			before[e.UserID] = person
			switch inRange := e.UserID > p.From && (p.To == nil || e.UserID <= *p.To); {
			case inRange && random.IntN(2) == 0:
				p.Open = append(p.Open, e.UserID)
				if !e.Active {
					missing++
				}
			case inRange && e.Active && person.ModifyTime.Before(asOf):
				gone = append(gone, e.UserID)
			}
		}
		wantReconciled(t, s, p, before, gone, missing)
	}
	if !getPerson(t, s, "zoe").Active {
		t.Error("who is not of the feed was made inactive")
	}
}

func wantReconciled(
	t *testing.T, s portalhub.Store, p people.ReconcileParams, before map[string]people.Person, gone []string, missing int64,
) {
	t.Helper()
	closes := !p.DryRun && int64(len(gone)) <= p.MaxClose
	shown := gone[:min(len(gone), int(p.MaxClose)+1)]
	got, err := s.ReconcilePeople(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want := people.ReconcileResult{Closed: int64(len(shown)), IDs: shown, Missing: missing}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%+v (-want +got):\n%s", p, diff)
	}
	for id, person := range before {
		if closes && slices.Contains(gone, id) {
			person.Active, person.ModifyTime = false, p.Now
		}
		wantPerson(t, s, person)
	}
	if !closes {
		return
	}
	if again, err := s.ReconcilePeople(t.Context(), p); err != nil || again.Closed != 0 {
		t.Fatalf("a repeat made %d inactive, %v", again.Closed, err)
	}
}

func testReconcileRace(t *testing.T, s portalhub.Store) {
	upsertPeople(t, s, 0, entry("1", "amy"))
	for round := 1; round <= 20; round++ {
		var group errgroup.Group
		now := time.Duration(round) * time.Minute
		group.Go(func() error {
			_, err := s.UpsertPeople(t.Context(), people.Stamp{By: "hr", Now: start.Add(now)}, []people.Entry{entry("1", "amy")})
			return err
		})
		group.Go(func() error {
			_, err := s.ReconcilePeople(t.Context(), people.ReconcileParams{
				Stamp: people.Stamp{By: "hr", Now: start.Add(now)}, AsOf: start.Add(now - time.Second), MaxClose: 1,
			})
			return err
		})
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		if !getPerson(t, s, "amy").Active {
			t.Fatalf("round %d: who was told of is inactive", round)
		}
	}
}
