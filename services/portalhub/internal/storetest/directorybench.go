package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/internal/people"
)

// The directory of BenchmarkDirectory.
const (
	manyPeople, manyDepartments = 100_000, 5_000
	perCall                     = 500
)

// BenchmarkDirectory measures the calls of a directory of 100,000 people in 5,000 departments, six levels deep, with
// a role of 10,000 members. The first feed reports the time per person.
func BenchmarkDirectory(b *testing.B, s portalhub.Store) {
	b.Helper()
	fill(b, s)
	for _, c := range []struct {
		name string
		walk people.WalkParams
	}{
		{"first page", people.WalkParams{}},
		{"deep page", people.WalkParams{After: benchName(manyPeople / 2)}},
		{"all departments", people.WalkParams{Filter: people.Filter{DeptID: benchDept(0)}}},
		{"all departments, deep", people.WalkParams{Filter: people.Filter{DeptID: benchDept(0)}, After: benchName(manyPeople / 2)}},
		{"600 departments", people.WalkParams{Filter: people.Filter{DeptID: benchDept(1)}}},
		{"one department", people.WalkParams{Filter: people.Filter{DeptID: benchDept(manyDepartments - 1)}}},
		{"role", people.WalkParams{Filter: people.Filter{RoleID: "r"}}},
		{"role in 600 departments", people.WalkParams{Filter: people.Filter{RoleID: "r", DeptID: benchDept(1)}}},
		{"prefix of all", people.WalkParams{Prefix: "user"}},
		{"prefix of names", people.WalkParams{Prefix: "Name 01"}},
		{"prefix of one", people.WalkParams{Prefix: benchName(7)}},
		{"prefix in 600 departments", people.WalkParams{Prefix: "Name 01", Filter: people.Filter{DeptID: benchDept(1)}}},
	} {
		c.walk.Size = 20
		b.Run("list/"+c.name, func(b *testing.B) {
			for b.Loop() {
				if found, err := s.WalkPeople(b.Context(), c.walk); err != nil || len(found) == 0 {
					b.Fatal(len(found), err)
				}
			}
		})
	}
	benchFeed(b, s)
	benchQuestions(b, s)
}

func benchName(n int) string { return fmt.Sprintf("user%06d", n) }
func benchDept(n int) string { return fmt.Sprintf("dept%04d", n) }

// benchEntries are perCall people from one on, in the order of their usernames.
func benchEntries(from int) []people.Entry {
	entries := make([]people.Entry, perCall)
	for i := range entries {
		n := from + i
		entries[i] = people.Entry{
			UserID: fmt.Sprintf("id%06d", n), Username: benchName(n), Name: fmt.Sprintf("Name %02d %d", n%100, n),
			Email: benchName(n) + "@hub.example", DeptID: benchDept(n % manyDepartments), Active: true,
		}
	}
	return entries
}

func fill(b *testing.B, s portalhub.Store) {
	b.Helper()
	for n := range manyDepartments {
		parent := ""
		if n > 0 {
			parent = benchDept((n - 1) / 8)
		}
		p := people.UpsertDepartmentParams{Stamp: told(0), ID: benchDept(n), ParentID: parent, Name: "n"}
		if result, err := s.UpsertDepartment(b.Context(), p); err != nil || result.Circle || result.Deep {
			b.Fatal(result, err)
		}
	}
	start := time.Now()
	for n := 0; n < manyPeople; n += perCall {
		if stored, err := s.UpsertPeople(b.Context(), told(0), benchEntries(n)); err != nil || len(stored) != perCall {
			b.Fatal(len(stored), err)
		}
	}
	b.Logf("the first feed takes %s a person", time.Since(start)/manyPeople)
	var members []string
	for n := range people.MaxMembers {
		members = append(members, fmt.Sprintf("id%06d", n*10))
	}
	slices.Sort(members)
	p := people.UpsertRoleParams{Stamp: told(0), ID: "r", Name: "n", UserIDs: members}
	b.Run("role of 10,000", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.UpsertRole(b.Context(), p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchFeed tells of 500 people again, and reconciles 20,000 who are all there.
func benchFeed(b *testing.B, s portalhub.Store) {
	b.Run("feed of 500 again", func(b *testing.B) {
		n := 0
		for b.Loop() {
			if _, err := s.UpsertPeople(b.Context(), told(0), benchEntries(n%manyPeople)); err != nil {
				b.Fatal(err)
			}
			n += perCall
		}
	})
	b.Run("reconcile of 20,000", func(b *testing.B) {
		p := people.ReconcileParams{Stamp: told(5), AsOf: at(60_000), From: "id020000", MaxClose: 100}
		for n := 20_001; n <= 40_000; n++ {
			p.Open = append(p.Open, fmt.Sprintf("id%06d", n))
		}
		p.To = &p.Open[len(p.Open)-1]
		for b.Loop() {
			if result, err := s.ReconcilePeople(b.Context(), p); err != nil || result.Closed > 0 || result.Missing > 0 {
				b.Fatal(result, err)
			}
		}
	})
}

// benchQuestions asks what edges ask.
func benchQuestions(b *testing.B, s portalhub.Store) {
	b.Run("one person", func(b *testing.B) {
		for b.Loop() {
			if m, err := s.GetPerson(b.Context(), benchName(manyDepartments-10)); err != nil || len(m.Departments) < 5 {
				b.Fatal(m, err)
			}
		}
	})
	for _, n := range []int{1, people.MaxResolve} {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprintf("id%06d", i*7)
		}
		b.Run(fmt.Sprintf("resolve %d", n), func(b *testing.B) {
			for b.Loop() {
				if known, err := s.ResolveUsers(b.Context(), ids); err != nil || len(known) != n {
					b.Fatal(len(known), err)
				}
			}
		})
	}
	for name, f := range map[string]people.Filter{
		"everybody": {DeptID: benchDept(0)}, "one department": {DeptID: benchDept(manyDepartments - 1)}, "a role": {RoleID: "r"},
		"a role in 600 departments": {RoleID: "r", DeptID: benchDept(1)},
	} {
		b.Run("select 5,000 of "+name, func(b *testing.B) {
			for b.Loop() {
				if found, err := s.SelectPeople(b.Context(), f, 5_001); err != nil || len(found) == 0 {
					b.Fatal(len(found), err)
				}
			}
		})
	}
}
