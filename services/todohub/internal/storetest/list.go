package storetest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/field"
	"example.com/hub/services/todohub/internal/todo"
)

// latest is the default list of a user, or of all, with payloads.
func latest(assignee string, size int64) todo.ListParams {
	return todo.ListParams{
		AssigneeUsername: assignee, Status: todo.Open, Type: todo.Handle,
		Sort: todo.Sort{Field: todo.SortModifyTime, Descending: true}, Page: field.Page{Size: size}, Full: true,
	}
}

func list(t *testing.T, s todo.Store, p todo.ListParams) ([]todo.Item, int64) {
	t.Helper()
	result, err := s.List(t.Context(), p)
	if err != nil {
		t.Fatalf("list %+v: %v", p, err)
	}
	return result.Items, result.Total
}

func ids(items []todo.Item) []string {
	var all []string
	for _, i := range items {
		all = append(all, i.ID)
	}
	return all
}

func wantList(t *testing.T, s todo.Store, p todo.ListParams, want ...string) {
	t.Helper()
	items, total := list(t, s, p)
	if diff := gocmp.Diff(want, ids(items)); diff != "" {
		t.Errorf("list %+v (-want +got):\n%s", p, diff)
	}
	if total != int64(len(want)) {
		t.Errorf("list %+v: total %d, want %d", p, total, len(want))
	}
}

func testListFilters(t *testing.T, s todo.Store) {
	ann, bob := "ann", "bob"
	at := 0
	for _, user := range []string{ann, bob} {
		for _, typ := range []todo.Type{todo.Handle, todo.Review} {
			for _, status := range []todo.Status{todo.Open, todo.Cleared, todo.Invalid} {
				at += 10
				r := report(user + " " + typ.String() + " " + status.String())
				r.AssigneeUsername, r.Type = user, typ
				upsert(t, s, stamp("erp", at), r)
				switch status {
				case todo.Cleared:
					clearItem(t, s, stamp("erp", at+1), r.ID)
				case todo.Invalid:
					invalidateItem(t, s, stamp("erp", at+1), r.ID)
				}
			}
		}
	}
	for _, typ := range []todo.Type{todo.Handle, todo.Review} {
		for _, status := range []todo.Status{todo.Open, todo.Cleared, todo.Invalid} {
			p := latest("", 20)
			p.Type, p.Status = typ, status
			rest := " " + typ.String() + " " + status.String()
			wantList(t, s, p, bob+rest, ann+rest)
			p.AssigneeUsername = ann
			wantList(t, s, p, ann+rest)
		}
	}
	items, _ := list(t, s, latest(ann, 20))
	if diff := gocmp.Diff([]todo.Item{itemOf(stamp("erp", 10), withUser(report("ann HANDLE OPEN"), ann))}, items); diff != "" {
		t.Errorf("listed item (-want +got):\n%s", diff)
	}
}

func withUser(r todo.Report, user string) todo.Report {
	r.AssigneeUsername = user
	return r
}

func testListUsernames(t *testing.T, s todo.Store) {
	users := []string{"ann", "Ann", "ann ", "e\u0301", "\u00e9", "ss", "\u00df", "%", "a_n"}
	for i, user := range users {
		upsert(t, s, stamp("erp", i), withUser(report(name("id", i)), user))
	}
	for i, user := range users {
		wantList(t, s, latest(user, 20), name("id", i))
	}
	nobody := "ANN"
	wantList(t, s, latest(nobody, 20))
}

func testListFollows(t *testing.T, s todo.Store) {
	ann, bob := "ann", "bob"
	for i, id := range []string{"a", "b", "c"} {
		upsert(t, s, stamp("erp", i), report(id))
	}
	wantList(t, s, latest(ann, 20), "c", "b", "a")

	upsert(t, s, stamp("erp", 10), report("a"))
	wantList(t, s, latest(ann, 20), "a", "c", "b")

	upsert(t, s, stamp("erp", 11), withUser(report("c"), bob))
	wantList(t, s, latest(ann, 20), "a", "b")
	wantList(t, s, latest(bob, 20), "c")

	clearItem(t, s, stamp("erp", 12), "a")
	wantList(t, s, latest(ann, 20), "b")
	done := latest(ann, 20)
	done.Status = todo.Cleared
	wantList(t, s, done, "a")
}

func testListPastEnd(t *testing.T, s todo.Store) {
	ann, bob := "ann", "bob"
	for i := range 5 {
		upsert(t, s, stamp("erp", i), report(name("id", i)))
	}
	for _, tt := range []struct {
		user   string
		number int64
		size   int64
		want   int
		total  int64
	}{
		{ann, 0, 5, 5, 5},
		{ann, 1, 5, 0, 5},
		{ann, 2, 2, 1, 5},
		{ann, 3, 2, 0, 5},
		{"", 7, 20, 0, 5},
		{ann, math.MaxInt32, 200, 0, 5},
		{ann, math.MaxInt64 / 200, 200, 0, 5},
		{ann, math.MaxInt64, 200, 0, 5},
		{"", math.MaxInt64, 1, 0, 5},
		{bob, 0, 20, 0, 0},
		{bob, math.MaxInt64, 200, 0, 0},
	} {
		p := latest(tt.user, tt.size)
		p.Page.Number = tt.number
		items, total := list(t, s, p)
		if len(items) != tt.want || total != tt.total {
			t.Errorf("page %d of %d: %d items of %d, want %d of %d", tt.number, tt.size, len(items), total, tt.want, tt.total)
		}
	}
}

func testListOrders(t *testing.T, s todo.Store) {
	rng := rand.New(rand.NewPCG(1, 2))
	var open, cleared []todo.Item
	for i := range 90 {
		r := report(pick(rng, "a", "B", "\u00e9", "e\u0301", "~") + name("", i))
		r.Title, r.Category = pick(rng, "x", "X", "\u00fc", "u\u0308"), pick(rng, "1", "10", "2")
		r.DueAt = pickTime(rng)
		item := upsert(t, s, stamp(pick(rng, "erp", "ERP", "crm"), rng.IntN(4)), r)
		if i%3 > 0 {
			open = append(open, item)
			continue
		}
		p := clearing(stamp("portal", rng.IntN(4)), r.ID)
		p.ClearedAt = start.Add(time.Duration(rng.IntN(4)) * time.Microsecond)
		result, err := s.Clear(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		cleared = append(cleared, result.Item)
	}
	ann := "ann"
	for _, f := range todo.SortFields() {
		for _, descending := range []bool{false, true} {
			sort := todo.Sort{Field: f, Descending: descending}
			for _, user := range []string{ann, ""} {
				wantOrder(t, s, todo.ListParams{AssigneeUsername: user, Status: todo.Open, Type: todo.Handle, Sort: sort}, open)
				wantOrder(t, s, todo.ListParams{AssigneeUsername: user, Status: todo.Cleared, Type: todo.Handle, Sort: sort}, cleared)
			}
		}
	}
}

// wantOrder reads all pages and compares them with the items in the order that p.Sort means.
func wantOrder(t *testing.T, s todo.Store, p todo.ListParams, items []todo.Item) {
	t.Helper()
	want := slices.SortedFunc(slices.Values(items), func(a, b todo.Item) int { return compare(p.Sort, a, b) })
	for _, size := range []int64{7, 30, 100} {
		var got []todo.Item
		for p.Page = (field.Page{Size: size}); ; p.Page.Number++ {
			page, total := list(t, s, p)
			if total != int64(len(want)) {
				t.Errorf("%v page %d: total %d, want %d", p.Sort, p.Page.Number, total, len(want))
			}
			if len(page) == 0 {
				break
			}
			got = append(got, page...)
		}
		if diff := gocmp.Diff(ids(want), ids(got)); diff != "" {
			t.Errorf("%v in pages of %d (-want +got):\n%s", p.Sort, size, diff)
		}
	}
}

func compare(s todo.Sort, a, b todo.Item) int {
	c := 0
	switch s.Field {
	case todo.SortModifyTime:
		c = a.ModifyTime.Compare(b.ModifyTime)
	case todo.SortCreateTime:
		c = a.CreateTime.Compare(b.CreateTime)
	case todo.SortDueAt, todo.SortClearedAt:
		x, y := a.DueAt, b.DueAt
		if s.Field == todo.SortClearedAt {
			x, y = a.ClearedAt, b.ClearedAt
		}
		switch {
		case x != nil && y != nil:
			c = x.Compare(*y)
		case x != nil:
			return -1
		case y != nil:
			return 1
		}
	case todo.SortTitle:
		c = strings.Compare(a.Title, b.Title)
	case todo.SortCategory:
		c = strings.Compare(a.Category, b.Category)
	case todo.SortSourceSystem:
		c = strings.Compare(a.SourceSystem, b.SourceSystem)
	}
	c = cmp.Or(c, strings.Compare(a.ID, b.ID))
	if s.Descending {
		return -c
	}
	return c
}

func pick(rng *rand.Rand, of ...string) string { return of[rng.IntN(len(of))] }

// pickTime gives nil, or one of a few times, so that there are ties.
func pickTime(rng *rand.Rand) *time.Time {
	n := rng.IntN(5)
	if n == 0 {
		return nil
	}
	at := time.Date(1968+n, 1, 1, 0, 0, 0, n*1000, time.UTC)
	return &at
}
