package storetest

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/hub/services/messagehub/internal/inbox"
)

var searchTests = []test{
	{"pages are the list of what matches", testSearchModel},
	{"pages part records of one message", testSearchOfOneMessage},
}

// search reads a list from its start to its end, in pages of one size.
func search(t tester, s inbox.Store, p inbox.SearchParams) (records []inbox.Record) {
	t.Helper()
	for {
		page, err := s.Search(t.Context(), p)
		if err != nil || int64(len(page)) > p.Size {
			t.Fatalf("search %+v: %d records, %v", p, len(page), err)
		}
		records = append(records, page...)
		if int64(len(page)) < p.Size {
			return records
		}
		p.After = placeOf(t, inbox.DefaultSort, page[len(page)-1])
	}
}

func testSearchModel(t *testing.T, s inbox.Store) {
	stored := matching(fill(t, s), inbox.ListParams{Sort: inbox.DefaultSort})
	rapid.Check(t, func(t *rapid.T) {
		p := inbox.SearchParams{
			SourceAppID: rapid.SampledFrom([]string{"", "crm", "erp", "nothing"}).Draw(t, "app"),
			Statuses:    rapid.SliceOfNDistinct(rapid.SampledFrom([]inbox.Status{inbox.Unread, inbox.Read}), 1, 2, rapid.ID).Draw(t, "statuses"),
			Size:        rapid.Int64Range(1, 30).Draw(t, "size"),
		}
		if rapid.Bool().Draw(t, "of named users") {
			p.Usernames = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"ann", "bob", "\u00c4nn", "nobody"}), 1, 4, rapid.ID).Draw(t, "users")
		}
		var want []inbox.Record
		for _, r := range stored {
			if (p.Usernames == nil || slices.Contains(p.Usernames, r.Username)) && (p.SourceAppID == "" || r.SourceAppID == p.SourceAppID) &&
				slices.Contains(p.Statuses, r.Status) {
				want = append(want, r)
			}
		}
		equal(t, fmt.Sprintf("records of %+v", p), search(t, s, p), want)
	})
}

// testSearchOfOneMessage has records that differ by their users alone.
func testSearchOfOneMessage(t *testing.T, s inbox.Store) {
	targets := users(50)
	push(t, s, message("erp", "m1", targets...))
	slices.Reverse(targets)
	for _, p := range []inbox.SearchParams{{Usernames: targets}, {}} {
		p.Statuses, p.Size = []inbox.Status{inbox.Unread, inbox.Read}, 7
		var got []string
		for _, r := range search(t, s, p) {
			got = append(got, r.Username)
		}
		equal(t, "users", got, targets)
	}
}
