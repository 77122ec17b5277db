package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/people"
)

func walk(t *testing.T, s portalhub.Store, p people.WalkParams) []people.Person {
	t.Helper()
	found, err := s.WalkPeople(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func names(found []people.Person) (all []string) {
	for _, p := range found {
		all = append(all, p.Username)
	}
	return all
}

// world is a directory that was drawn, to compare with.
type world struct {
	all     []people.Person // by username
	parents map[string]string
	members map[string][]string
}

func draw(t *testing.T, s portalhub.Store) world {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the draws are to be the same each time
	w := world{parents: map[string]string{}, members: map[string][]string{}}
	for n := range 12 {
		id, parent := fmt.Sprint("d", n), ""
		if n > 0 {
			parent = fmt.Sprint("d", random.IntN(n))
		}
		w.parents[id] = parent
		department(t, s, id, parent)
	}
	texts := []string{"a", "am", "amy", "Amy", "b", "ä", "\U0010FFFFx", "%", "_"}
	var entries []people.Entry
	for n := range 120 {
		e := people.Entry{
			UserID: fmt.Sprint(n), Username: fmt.Sprintf("%s%03d", texts[random.IntN(len(texts))], n),
			Name: texts[random.IntN(len(texts))] + " x", DeptID: fmt.Sprint("d", random.IntN(14)), Active: random.IntN(2) == 0,
		}
		entries = append(entries, e)
		for _, role := range []string{"r1", "r2"} {
			if random.IntN(3) == 0 {
				w.members[role] = append(w.members[role], e.UserID)
			}
		}
	}
	slices.SortFunc(entries, func(a, b people.Entry) int { return strings.Compare(a.Username, b.Username) })
	upsertPeople(t, s, 0, entries...)
	for role, ids := range w.members {
		slices.Sort(ids)
		upsertRole(t, s, role, ids...)
	}
	for _, e := range entries {
		w.all = append(w.all, fed(e, 0, 0))
	}
	return w
}

func (w world) below(dept, top string) bool {
	for ; dept != ""; dept = w.parents[dept] {
		if dept == top {
			return true
		}
	}
	return false
}

func (w world) matches(p people.Person, f people.Filter, prefix string) bool {
	return (f.DeptID == "" || w.below(p.DeptID, f.DeptID)) &&
		(f.RoleID == "" || slices.Contains(w.members[f.RoleID], p.UserID)) &&
		(strings.HasPrefix(p.Username, prefix) || strings.HasPrefix(p.Name, prefix))
}

func testWalk(t *testing.T, s portalhub.Store) {
	w := draw(t, s)
	for _, dept := range []string{"", "d0", "d3", "d11", "d13", "none"} {
		for _, role := range []string{"", "r1", "r2", "none"} {
			for _, prefix := range []string{"", "a", "am", "amy x", "A", "\U0010FFFF", "%", "none"} {
				p := people.WalkParams{Filter: people.Filter{DeptID: dept, RoleID: role}, Prefix: prefix, Size: 7}
				var want, got []people.Person
				for _, person := range w.all {
					if w.matches(person, p.Filter, prefix) {
						want = append(want, person)
					}
				}
				for {
					page := walk(t, s, p)
					got = append(got, page...)
					if len(page) < 7 {
						break
					}
					p.After = page[len(page)-1].Username
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%+v (-want +got):\n%s", p, diff)
				}
			}
		}
	}
}

func testSelect(t *testing.T, s portalhub.Store) {
	w := draw(t, s)
	for _, f := range []people.Filter{{DeptID: "d0"}, {DeptID: "d3"}, {RoleID: "r1"}, {DeptID: "d0", RoleID: "r2"}, {DeptID: "none"}, {RoleID: "none"}} {
		var want []string
		for _, person := range w.all {
			if w.matches(person, f, "") {
				want = append(want, person.Username)
			}
		}
		got, err := s.SelectPeople(t.Context(), f, 1000)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", f, diff)
		}
		if got, err := s.SelectPeople(t.Context(), f, 2); err != nil || len(got) != min(2, len(want)) {
			t.Errorf("%+v: two of them are %v, %v", f, got, err)
		}
	}
}
