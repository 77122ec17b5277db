package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/hub/services/messagehub/internal/inbox"
)

var readAllTests = []test{
	{"switches what is below the watermark and nothing that was stored later", testReadAll},
	{"switches a batch at a time and the newest first", testReadAllBatches},
	{"switches what matches the filters", testReadAllFilters},
	{"looks at a batch however few of it match", testReadAllFew},
	{"leaves what was stored to everybody else and what is read alone", testReadAllOthers},
	{"does what a model does", testReadAllModel},
	{"switches each record once when calls race", testReadAllRace},
	{"switches what was seen and no more while others push", testReadAllWhilePushing},
	{"counts unread records of many users", testCountUnreadBatch},
}

// start is in front of every record.
var start = inbox.Place{At: time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC), Body: 1<<63 - 1}

// watermark reads that of a user's inbox, with the records of a page.
func watermark(t tester, s inbox.Store, username string) (inbox.Watermark, []inbox.Record) {
	t.Helper()
	p := inbox.WalkParams{ListParams: inbox.ListParams{Username: username, Page: page(0, 5000), Sort: inbox.DefaultSort}}
	result, err := s.Walk(t.Context(), p)
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
	result.Watermark.At = at(1)
	return result.Watermark, result.Records
}

// readAll switches all batches.
func readAll(t tester, s inbox.Store, p inbox.MarkAllReadParams) inbox.AllRead {
	t.Helper()
	if p.Now.IsZero() {
		p.Stamp = stamp("portal", 7)
	}
	if p.Rows == 0 {
		p.Rows = 3
	}
	p.Done = inbox.AllRead{Below: start}
	for !p.Done.End {
		done, err := s.MarkAllRead(t.Context(), p)
		if err != nil {
			t.Fatalf("read all %+v: %v", p, err)
		}
		p.Done = done
	}
	return p.Done
}

// idsIn are the message ids of a user's records in a status, in order.
func idsIn(t tester, s inbox.Store, username string, status inbox.Status) []string {
	t.Helper()
	var all []string
	for _, r := range list(t, s, inbox.ListParams{Username: username, Status: status, Page: page(0, 5000)}).Records {
		all = append(all, r.SourceMessageID)
	}
	slices.Sort(all)
	return all
}

func testReadAll(t *testing.T, s inbox.Store) {
	equal(t, "in an empty store", readAll(t, s, inbox.MarkAllReadParams{Username: "ann"}).Switched, 0)
	for i := range 4 {
		push(t, s, message("erp", fmt.Sprint("m", i), "ann"))
	}
	upTo, _ := watermark(t, s, "ann")
	for i, minutes := range []int{-100, 0, 100} {
		p := message("erp", fmt.Sprint("later", i), "ann")
		p.OccurredAt = at(minutes)
		push(t, s, p)
	}
	before := list(t, s, inbox.ListParams{Username: "ann", SourceMessageID: "m3"}).Records[0]
	p := inbox.MarkAllReadParams{Username: "ann", UpTo: upTo}
	done := readAll(t, s, p)
	equal(t, "switched", done.Switched, 4)
	equal(t, "the newest", done.Newest, "m3")
	equal(t, "unread", idsIn(t, s, "ann", inbox.Unread), []string{"later0", "later1", "later2"})

	now := at(7)
	before.Status, before.ReadAt, before.ModifyTime, before.ModifierID = inbox.Read, &now, now, "portal"
	equal(t, "a record", list(t, s, inbox.ListParams{Username: "ann", SourceMessageID: "m3"}).Records[0], before)

	again := readAll(t, s, p)
	equal(t, "switched again", again.Switched, 0)
	equal(t, "the newest of none", again.Newest, "")
	equal(t, "the row of none", again.Position.IsZero(), true)
	upTo, _ = watermark(t, s, "ann")
	equal(t, "switched with the next watermark", readAll(t, s, inbox.MarkAllReadParams{Username: "ann", UpTo: upTo}).Switched, 3)
}

func testReadAllBatches(t *testing.T, s inbox.Store) {
	for i, minutes := range []int{5, 1, 9, 3, 7, 9} { // two at once: the later push is newer
		p := message("erp", fmt.Sprint("m", i), "ann")
		p.OccurredAt = at(minutes)
		push(t, s, p)
	}
	upTo, _ := watermark(t, s, "ann")
	p := inbox.MarkAllReadParams{
		Stamp: stamp("portal", 20), Username: "ann", UpTo: upTo, Rows: 2, Done: inbox.AllRead{Below: start},
	}
	for n, unread := range [][]string{{"m0", "m1", "m3", "m4"}, {"m1", "m3"}, nil, nil} {
		if p.Done.End {
			t.Fatalf("it ends before batch %d", n)
		}
		done, err := s.MarkAllRead(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("unread after batch ", n), idsIn(t, s, "ann", inbox.Unread), unread)
		equal(t, "switched so far", done.Switched, int64(6-len(unread)))
		equal(t, "the newest", done.Newest, "m5")
		p.Done = done
	}
	equal(t, "the end", p.Done.End, true)
}

func testReadAllFilters(t *testing.T, s inbox.Store) {
	for i, app := range []string{"erp", "crm"} {
		for j, category := range []string{"notice", "alarm", ""} {
			p := message(app, fmt.Sprintf("m%d%d", i, j), "ann")
			p.Category = category
			push(t, s, p)
		}
	}
	upTo, _ := watermark(t, s, "ann")
	for _, step := range []struct {
		app, category string
		unread        []string
	}{
		{"ERP", "", []string{"m00", "m01", "m02", "m10", "m11", "m12"}},
		{"erp", "alarm", []string{"m00", "m02", "m10", "m11", "m12"}},
		{"crm", "", []string{"m00", "m02"}},
		{"", "notice", []string{"m02"}},
		{"", "", nil},
	} {
		readAll(t, s, inbox.MarkAllReadParams{Username: "ann", UpTo: upTo, SourceAppID: step.app, Category: step.category, Rows: 1})
		equal(t, "unread after "+step.app+" "+step.category, idsIn(t, s, "ann", inbox.Unread), step.unread)
	}
}

// testReadAllFew has one record that matches, behind all others.
func testReadAllFew(t *testing.T, s inbox.Store) {
	alarm := message("erp", "alarm", "ann")
	alarm.Category = "alarm"
	push(t, s, alarm)
	for i := range 5 {
		push(t, s, message("erp", fmt.Sprint("m", i), "ann"))
	}
	upTo, _ := watermark(t, s, "ann")
	p := inbox.MarkAllReadParams{
		Stamp: stamp("portal", 20), Username: "ann", UpTo: upTo, Category: "alarm", Rows: 2, Done: inbox.AllRead{Below: start},
	}
	for n, want := range []inbox.AllRead{{}, {}, {Switched: 1, Newest: "alarm"}, {Switched: 1, Newest: "alarm", End: true}} {
		done, err := s.MarkAllRead(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		p.Done = done
		equal(t, fmt.Sprint("batch ", n), inbox.AllRead{Switched: done.Switched, Newest: done.Newest, End: done.End}, want)
	}
}

func testReadAllOthers(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann", "bob"))
	push(t, s, message("erp", "m2", "ann"))
	markRead(t, s, "m2", "ann", at(3))
	bob, read := only(t, s, "bob"), list(t, s, inbox.ListParams{Username: "ann", Status: inbox.Read}).Records
	upTo, _ := watermark(t, s, "ann")
	done := readAll(t, s, inbox.MarkAllReadParams{Username: "ann", UpTo: upTo})
	equal(t, "switched", done.Switched, 1)
	equal(t, "the newest", done.Newest, "m1")
	equal(t, "record of bob", only(t, s, "bob"), bob)
	equal(t, "what was read", list(t, s, inbox.ListParams{Username: "ann", SourceMessageID: "m2"}).Records, read)
}

func testCountUnreadBatch(t *testing.T, s inbox.Store) {
	for m := range 5 {
		push(t, s, message("erp", fmt.Sprint("m", m), users(300)[:60*(m+1)]...))
	}
	markRead(t, s, "m1", "user-00000", at(7))
	names := append(users(310), "user-00000", "")
	slices.Reverse(names)
	counts, err := s.CountUnreadBatch(t.Context(), inbox.CountUnreadBatchParams{Usernames: names})
	if err != nil {
		t.Fatal(err)
	}
	var want []int64
	for _, name := range names {
		want = append(want, unread(t, s, name))
	}
	equal(t, "counts", counts, want)
	equal(t, "one of them", want[1], 4)
}
