package storetest

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/hub/services/todohub/internal/todo"
)

// search reads a list from its start to its end, in pages of one size.
func search(t *rapid.T, s todo.Store, p todo.SearchParams) (items []todo.Item) {
	for {
		page, err := s.Search(t.Context(), p)
		if err != nil {
			t.Fatalf("search %+v: %v", p, err)
		}
		if int64(len(page)) > p.Size {
			t.Fatalf("search %+v: %d items", p, len(page))
		}
		items = append(items, page...)
		if int64(len(page)) < p.Size {
			return items
		}
		p.After = placeOf(todo.DefaultSort, page[len(page)-1])
	}
}

// crowd stores items of a few users with ties in every time, of all statuses and types and of two sources.
func crowd(t *testing.T, s todo.Store) (all []todo.Item) {
	t.Helper()
	users := []string{"ann", "Ann", "bob", "\u00e4nn", "a\u0308nn", "cy"}
	for i := range 120 {
		r := report([]string{"a", "B", "\u00e9", "~"}[i%4] + name("", i))
		r.AssigneeUsername = users[i*i%len(users)]
		if i%3 == 0 {
			r.Type = todo.Review
		}
		st := stamp([]string{"erp", "crm"}[i%7/4], i%6)
		item := upsert(t, s, st, r)
		switch i % 5 {
		case 0:
			item = clearItem(t, s, stamp("erp", i%9), r.ID)
		case 1:
			item = invalidateItem(t, s, stamp("erp", i%9), r.ID)
		}
		all = append(all, item)
	}
	slices.SortFunc(all, func(a, b todo.Item) int { return compare(todo.DefaultSort, a, b) })
	return all
}

// testSearch compares the pages of any search with the model, and then an item with what is stored.
func testSearch(t *testing.T, s todo.Store) {
	all := crowd(t, s)
	rapid.Check(t, func(t *rapid.T) {
		p := todo.SearchParams{
			SourceSystem: rapid.SampledFrom([]string{"", "erp", "crm", "hr"}).Draw(t, "source"),
			Statuses:     rapid.SliceOfNDistinct(rapid.SampledFrom([]todo.Status{todo.Open, todo.Cleared, todo.Invalid}), 1, 3, rapid.ID).Draw(t, "statuses"),
			Types:        rapid.SliceOfNDistinct(rapid.SampledFrom([]todo.Type{todo.Handle, todo.Review}), 1, 2, rapid.ID).Draw(t, "types"),
			Size:         rapid.Int64Range(1, 30).Draw(t, "size"),
			Full:         rapid.Bool().Draw(t, "full"),
		}
		if rapid.Bool().Draw(t, "of named users") {
			named := rapid.SampledFrom([]string{"ann", "Ann", "bob", "\u00e4nn", "a\u0308nn", "cy", "nobody"})
			p.Usernames = rapid.SliceOfNDistinct(named, 1, 7, rapid.ID).Draw(t, "users")
		}
		want := slices.DeleteFunc(slices.Clone(all), func(i todo.Item) bool {
			return p.Usernames != nil && !slices.Contains(p.Usernames, i.AssigneeUsername) ||
				p.SourceSystem != "" && i.SourceSystem != p.SourceSystem ||
				!slices.Contains(p.Statuses, i.Status) || !slices.Contains(p.Types, i.Type)
		})
		got := search(t, s, p)
		for i := range want {
			if !p.Full {
				want[i].Payload = ""
			}
		}
		if diff := gocmp.Diff(want, got); len(want)+len(got) > 0 && diff != "" {
			t.Errorf("%s (-want +got):\n%s", fmt.Sprintf("%+v", p), diff)
		}
	})
}
