package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"example.com/hub/services/messagehub/internal/inbox"
)

var readAllTests = []test{
	{"switches what is below the watermark and nothing that was stored later", testReadAll},
	{"switches a batch at a time and the newest first", testReadAllBatches},
	{"switches what matches the filters", testReadAllFilters},
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

// testReadAllModel draws pushes, also of new users to old messages, reads, watermarks and read-alls.
func testReadAllModel(t *testing.T, s inbox.Store) {
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		user, other := fmt.Sprint("user", run), fmt.Sprint("other", run)
		unread := map[string]int{} // by message id: which push stored it
		pushes, limit := 0, 0
		upTo, _ := watermark(t, s, user)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			id := fmt.Sprint("m", run, "-", rapid.IntRange(0, 9).Draw(t, "message"))
			switch rapid.SampledFrom([]string{"push", "push", "other", "read", "watermark", "all"}).Draw(t, "step") {
			case "push":
				p := message("erp", id, user)
				p.OccurredAt = at(rapid.IntRange(-9, 9).Draw(t, "occurred"))
				if len(push(t, s, p).Created) > 0 {
					pushes++
					unread[id] = pushes
				}
			case "other":
				push(t, s, message("erp", id, other))
			case "read":
				markRead(t, s, id, user, at(5))
				delete(unread, id)
			case "watermark":
				upTo, _ = watermark(t, s, user)
				limit = pushes
			case "all":
				want := int64(0)
				for id, n := range unread {
					if n <= limit {
						want++
						delete(unread, id)
					}
				}
				rows := rapid.IntRange(1, 5).Draw(t, "rows")
				equal(t, "switched", readAll(t, s, inbox.MarkAllReadParams{Username: user, UpTo: upTo, Rows: rows}).Switched, want)
			}
			var want []string
			for id := range unread {
				want = append(want, id)
			}
			slices.Sort(want)
			equal(t, "unread", idsIn(t, s, user, inbox.Unread), want)
		}
	})
}

func testReadAllRace(t *testing.T, s inbox.Store) {
	const records, readers = 60, 6
	for i := range records {
		push(t, s, message("erp", fmt.Sprint("m", i), "ann"))
	}
	upTo, _ := watermark(t, s, "ann")
	var mu sync.Mutex
	total := 0
	add := func(n int) { mu.Lock(); defer mu.Unlock(); total += n }
	var g errgroup.Group
	for r := range readers {
		g.Go(func() error {
			p := inbox.MarkAllReadParams{
				Stamp: stamp("portal", 7), Username: "ann", UpTo: upTo, Rows: 5 + r, Done: inbox.AllRead{Below: start},
			}
			for !p.Done.End {
				done, err := s.MarkAllRead(t.Context(), p)
				if err != nil {
					return err
				}
				p.Done = done
			}
			add(int(p.Done.Switched))
			return nil
		})
		g.Go(func() error {
			for i := range records {
				result, err := s.MarkRead(t.Context(), inbox.MarkReadParams{
					Stamp: stamp("portal", 8), SourceMessageID: fmt.Sprint("m", (i*7+r)%records), Username: "ann",
				})
				if err != nil {
					return err
				}
				add(result.Switched)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	equal(t, "switched by all", total, records)
	equal(t, "unread", unread(t, s, "ann"), 0)
}

// testReadAllWhilePushing reads all again and again while others push, small and large: what was pushed before
// the page was asked for is switched, and nothing that the page did not have.
func testReadAllWhilePushing(t *testing.T, s inbox.Store) {
	const writers, pushes = 4, 25
	names := append(users(300), "zoe")
	var mu sync.Mutex
	var pushed []string
	known := func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(pushed) }
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error {
			for n := range pushes {
				p := message("erp", fmt.Sprint("m", w, "-", n), names[(n*w*97)%300:]...)
				p.OccurredAt = at(n * 7 % 11)
				if _, err := s.Push(t.Context(), p); err != nil {
					return err
				}
				mu.Lock()
				pushed = append(pushed, p.SourceMessageID)
				mu.Unlock()
			}
			return nil
		})
	}
	rounds := 0
	for len(known()) < writers*pushes && rounds < 1000 {
		rounds++
		before := known()
		upTo, seen := watermark(t, s, "zoe")
		readAll(t, s, inbox.MarkAllReadParams{Username: "zoe", UpTo: upTo, Rows: 10})
		read := idsIn(t, s, "zoe", inbox.Read)
		var shown []string
		for _, r := range seen {
			shown = append(shown, r.SourceMessageID)
		}
		for _, id := range before {
			if !slices.Contains(read, id) {
				t.Errorf("%s was pushed before the page, and is not read", id)
			}
		}
		for _, id := range read {
			if !slices.Contains(shown, id) {
				t.Errorf("%s was not on the page, and is read", id)
			}
		}
		if t.Failed() {
			break
		}
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d read-alls", rounds)
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
