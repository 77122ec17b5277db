package storetest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/hub/services/messagehub/internal/inbox"
)

var listTests = []test{
	{"orders and filters like a model", testListModel},
	{"pages without gaps or repeats", testListPages},
	{"is empty past the end", testListPastEnd},
	{"is empty in an empty store", testListEmpty},
	{"compares filters byte by byte", testListBytes},
}

// fill stores records with ties in every field that a list can be ordered by, with read and unread
// ones, and with records that joined an old message later; it answers what is stored.
func fill(t *testing.T, s inbox.Store) []inbox.Record {
	t.Helper()
	people := []string{"ann", "bob", "\u00c4nn"}
	categories := []string{"", "notice", "alarm", "Alarm", "\u00e4"}
	for i := range 60 {
		app := []string{"erp", "crm", "hr"}[i%3]
		var targets []string
		for j, name := range people {
			if (i+j)%4 != 0 {
				targets = append(targets, name)
			}
		}
		// Every fourth push is of a message that the same app pushed before.
		old := i
		if i%4 == 3 && i > 9 {
			old = i - 9
		}
		p := message(app, fmt.Sprint("m", old), targets...)
		p.Category = categories[i%len(categories)]
		p.OccurredAt, p.Now = at(-(i*7)%11), at(i%13)
		p.Actions = make([]inbox.Action, i%3)
		push(t, s, p)
		if i%5 < 2 {
			markRead(t, s, p.SourceMessageID, people[i%len(people)], at(20+i%6))
		}
	}
	result := list(t, s, inbox.ListParams{})
	if int64(len(result.Records)) != result.Total || result.Total < 100 {
		t.Fatalf("%d records and total %d, want equal numbers of at least 100", len(result.Records), result.Total)
	}
	return result.Records
}

// matching is the model of a list: the records that match, in order.
func matching(records []inbox.Record, p inbox.ListParams) []inbox.Record {
	var list []inbox.Record
	for _, r := range records {
		if (p.Username == "" || p.Username == r.Username) && (p.Status == 0 || p.Status == r.Status) &&
			(p.SourceAppID == "" || p.SourceAppID == r.SourceAppID) &&
			(p.SourceMessageID == "" || p.SourceMessageID == r.SourceMessageID) {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b inbox.Record) int {
		// Records without a value come last in both directions.
		if p.Sort.Field == inbox.SortReadAt && (a.ReadAt == nil) != (b.ReadAt == nil) {
			if a.ReadAt == nil {
				return 1
			}
			return -1
		}
		order := cmp.Or(compare(a, b, p.Sort.Field), strings.Compare(a.ID, b.ID))
		if p.Sort.Descending {
			return -order
		}
		return order
	})
	return list
}

func compare(a, b inbox.Record, f inbox.SortField) int {
	switch f {
	case inbox.SortOccurredAt:
		return a.OccurredAt.Compare(b.OccurredAt)
	case inbox.SortCreateTime:
		return a.CreateTime.Compare(b.CreateTime)
	case inbox.SortModifyTime:
		return a.ModifyTime.Compare(b.ModifyTime)
	case inbox.SortReadAt:
		return value(a.ReadAt).Compare(value(b.ReadAt))
	case inbox.SortCategory:
		return strings.Compare(a.Category, b.Category)
	case inbox.SortSourceAppID:
		return strings.Compare(a.SourceAppID, b.SourceAppID)
	default:
		return strings.Compare(a.ID, b.ID)
	}
}

func value(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func testListModel(t *testing.T, s inbox.Store) {
	records := fill(t, s)
	for field := inbox.SortOccurredAt; field <= inbox.SortID; field++ {
		for _, descending := range []bool{false, true} {
			for _, p := range filters() {
				p.Sort = inbox.Sort{Field: field, Descending: descending}
				want := matching(records, p)
				got := list(t, s, p)
				equal(t, fmt.Sprintf("total of %+v", p), got.Total, int64(len(want)))
				equal(t, fmt.Sprintf("ids of %+v", p), ids(got.Records), ids(want))
			}
		}
	}
}

// filters are all combinations of filters that are set or not; some match nothing.
func filters() []inbox.ListParams {
	var list []inbox.ListParams
	for _, username := range []string{"", "ann", "nobody"} {
		for _, status := range []inbox.Status{0, inbox.Unread, inbox.Read} {
			for _, app := range []string{"", "crm", "nothing"} {
				for _, id := range []string{"", "m4", "m49"} {
					list = append(list, inbox.ListParams{
						Username: username, Status: status, SourceAppID: app, SourceMessageID: id,
					})
				}
			}
		}
	}
	return list
}

func ids(records []inbox.Record) []string {
	list := make([]string, len(records))
	for i, r := range records {
		list[i] = r.ID
	}
	return list
}

func testListPages(t *testing.T, s inbox.Store) {
	records := fill(t, s)
	for _, p := range []inbox.ListParams{
		{Sort: inbox.DefaultSort},
		{Sort: inbox.DefaultSort, Username: "ann"},
		{Sort: inbox.DefaultSort, Username: "ann", Status: inbox.Unread},
		{Sort: inbox.Sort{Field: inbox.SortOccurredAt}, Username: "ann"},
		{Sort: inbox.Sort{Field: inbox.SortReadAt, Descending: true}, Username: "ann"},
		{Sort: inbox.Sort{Field: inbox.SortCategory}},
	} {
		want := matching(records, p)
		for _, size := range []int64{1, 7, int64(len(want))} {
			var got []inbox.Record
			for number := range (int64(len(want)) + size - 1) / size {
				p.Page = page(number, size)
				result := list(t, s, p)
				equal(t, fmt.Sprintf("total of %+v", p), result.Total, int64(len(want)))
				got = append(got, result.Records...)
			}
			equal(t, fmt.Sprintf("records of %+v", p), got, want)
		}
	}
}

func testListPastEnd(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann", "bob"))
	for _, p := range []inbox.ListParams{
		{Page: page(1, 2)},
		{Page: page(2, 1), Username: "ann"},
		{Page: page(math.MaxInt32, 200)},
		{Page: page(math.MaxInt64/200, 200), Username: "ann"},
		{Page: page(math.MaxInt64, 200), Sort: inbox.Sort{Field: inbox.SortCategory}},
		{Page: page(math.MaxInt64, math.MaxInt64), Username: "ann", Status: inbox.Unread},
	} {
		result := list(t, s, p)
		want := int64(2)
		if p.Username != "" {
			want = 1
		}
		equal(t, fmt.Sprintf("total of %+v", p), result.Total, want)
		equal(t, fmt.Sprintf("number of records of %+v", p), len(result.Records), 0)
	}
}

func testListEmpty(t *testing.T, s inbox.Store) {
	for _, p := range filters() {
		result := list(t, s, p)
		if result.Total != 0 || len(result.Records) != 0 {
			t.Errorf("list %+v: %+v, want nothing", p, result)
		}
	}
}

func testListBytes(t *testing.T, s inbox.Store) {
	// The two spellings of the name are the same to a reader and differ in bytes.
	composed, decomposed := "Zo\u00eb", "Zoe\u0308"
	push(t, s, message("erp", "M1", composed))
	push(t, s, message("erp", "m1", decomposed))
	push(t, s, message("Erp", "m%", "zo_"))
	for _, p := range []inbox.ListParams{
		{Username: composed},
		{Username: decomposed},
		{Username: "zo_"},
		{SourceMessageID: "m1"},
		{SourceMessageID: "m%"},
		{SourceAppID: "Erp"},
	} {
		equal(t, fmt.Sprintf("total of %+v", p), list(t, s, p).Total, int64(1))
	}
}
