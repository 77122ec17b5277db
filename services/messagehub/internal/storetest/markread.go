package storetest

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/services/messagehub/internal/inbox"
)

var markReadTests = []test{
	{"switches an unread record", testMarkRead},
	{"switches the records of every app with the message id", testMarkReadApps},
	{"leaves other users and other messages alone", testMarkReadOthers},
	{"leaves a read record as it is", testMarkReadAgain},
	{"moves no modify time back when the clock steps back", testMarkReadClockBack},
	{"succeeds when nothing matches", testMarkReadNothing},
	{"does not take the id of a record", testMarkReadRecordID},
	{"switches each record once when calls race", testMarkReadRace},
	{"counts unread records of one user", testCountUnread},
	{"knows the newest record of one user", testNewestID},
}

func testMarkRead(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann"))
	want := only(t, s, "ann")
	equal(t, "switched", markRead(t, s, "m1", "ann", at(7)), 1)

	now := at(7)
	want.Status, want.ReadAt, want.ModifyTime, want.ModifierID = inbox.Read, &now, now, "portal"
	equal(t, "record", only(t, s, "ann"), want)
	equal(t, "unread", unread(t, s, "ann"), 0)
}

func testMarkReadClockBack(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann"))
	want := only(t, s, "ann")
	markRead(t, s, "m1", "ann", at(0)) // it was created a minute later
	now := at(0)
	want.Status, want.ReadAt, want.ModifierID = inbox.Read, &now, "portal"
	equal(t, "record", only(t, s, "ann"), want)

	early := message("erp", "m2", "ann")
	early.Now = at(1).Add(-time.Second)
	push(t, s, early)
	oldest := list(t, s, inbox.ListParams{Username: "ann", Sort: inbox.Sort{Field: inbox.SortModifyTime}}).Records[0]
	equal(t, "first by modify time", oldest.SourceMessageID, "m2")
}

func testMarkReadApps(t *testing.T, s inbox.Store) {
	for _, app := range []string{"erp", "crm", "hr"} {
		push(t, s, message(app, "m1", "ann"))
	}
	equal(t, "switched", markRead(t, s, "m1", "ann", at(7)), 3)
	equal(t, "read", list(t, s, inbox.ListParams{Username: "ann", Status: inbox.Read}).Total, 3)
}

func testMarkReadOthers(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann", "bob"))
	push(t, s, message("erp", "m2", "ann"))
	bob := only(t, s, "bob")
	equal(t, "switched", markRead(t, s, "m1", "ann", at(7)), 1)
	equal(t, "record of bob", only(t, s, "bob"), bob)
	left := list(t, s, inbox.ListParams{Username: "ann", Status: inbox.Unread})
	if left.Total != 1 || left.Records[0].SourceMessageID != "m2" {
		t.Errorf("unread of ann: %+v, want m2 only", left)
	}
}

func testMarkReadAgain(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann"))
	markRead(t, s, "m1", "ann", at(7))
	want := only(t, s, "ann")
	equal(t, "switched", markRead(t, s, "m1", "ann", at(9)), 0)
	equal(t, "record", only(t, s, "ann"), want)

	// A later push of another app under the same message id is unread again.
	push(t, s, message("crm", "m1", "ann"))
	equal(t, "switched", markRead(t, s, "m1", "ann", at(11)), 1)
}

func testMarkReadNothing(t *testing.T, s inbox.Store) {
	equal(t, "switched in an empty store", markRead(t, s, "m1", "ann", at(7)), 0)
	push(t, s, message("erp", "m1", "ann"))
	equal(t, "switched for another user", markRead(t, s, "m1", "bob", at(7)), 0)
	equal(t, "switched for another message", markRead(t, s, "m2", "ann", at(7)), 0)
	equal(t, "unread", unread(t, s, "ann"), 1)
}

func testMarkReadRecordID(t *testing.T, s inbox.Store) {
	created := push(t, s, message("erp", "m1", "ann")).Created
	equal(t, "switched", markRead(t, s, created[0].ID, "ann", at(7)), 0)
	equal(t, "unread", unread(t, s, "ann"), 1)
}

func testMarkReadRace(t *testing.T, s inbox.Store) {
	const readers, messages = 16, 25
	for m := range messages {
		push(t, s, message("erp", fmt.Sprint("m", m), "ann"))
		push(t, s, message("crm", fmt.Sprint("m", m), "ann"))
	}
	var switched [messages]atomic.Int64
	var g errgroup.Group
	for r := range readers {
		g.Go(func() error {
			for i := range messages {
				m := (i + r) % messages
				result, err := s.MarkRead(t.Context(), inbox.MarkReadParams{
					Stamp: stamp("portal", 7), SourceMessageID: fmt.Sprint("m", m), Username: "ann",
				})
				if err != nil {
					return err
				}
				switched[m].Add(int64(result.Switched))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for m := range messages {
		equal(t, fmt.Sprint("switched of m", m), switched[m].Load(), 2)
	}
	equal(t, "unread", unread(t, s, "ann"), 0)
}

// testNewestID compares with the list, whose first record it promises to be.
func testNewestID(t *testing.T, s inbox.Store) {
	newest := func(username string) string {
		t.Helper()
		id, err := s.NewestID(t.Context(), inbox.NewestIDParams{Username: username})
		if err != nil {
			t.Fatalf("newest record of %q: %v", username, err)
		}
		return id
	}
	equal(t, "newest in an empty store", newest("ann"), "")
	for m, occurred := range []int{5, 9, 1, 9, 3} { // two at once: the later push is newer
		p := message("erp", fmt.Sprint("m", m), "ann", fmt.Sprint("other", m))
		p.OccurredAt = at(occurred)
		push(t, s, p)
	}
	equal(t, "newest of nobody", newest("nobody"), "")
	check := func(when, message string) {
		t.Helper()
		first := list(t, s, inbox.ListParams{Username: "ann", Page: page(0, 1)}).Records[0]
		equal(t, "newest message "+when, first.SourceMessageID, message)
		equal(t, "newest record "+when, newest("ann"), first.ID)
	}
	check("of unread ones", "m3")
	markRead(t, s, "m3", "ann", at(20))
	check("when it is read", "m3")
	markRead(t, s, "m2", "ann", at(21))
	check("when an older one is read", "m3")
	late := message("erp", "m9", "ann")
	late.OccurredAt = at(10)
	push(t, s, late)
	check("when it is unread again", "m9")
	for m := range 5 {
		markRead(t, s, fmt.Sprint("m", m), "ann", at(22))
	}
	markRead(t, s, "m9", "ann", at(23))
	check("when all are read", "m9")
}

func testCountUnread(t *testing.T, s inbox.Store) {
	equal(t, "unread in an empty store", unread(t, s, "ann"), 0)
	for m := range 5 {
		push(t, s, message("erp", fmt.Sprint("m", m), "ann", "bob"))
	}
	markRead(t, s, "m1", "ann", at(7))
	markRead(t, s, "m3", "ann", at(7))
	equal(t, "unread of ann", unread(t, s, "ann"), 3)
	equal(t, "unread of bob", unread(t, s, "bob"), 5)
	equal(t, "unread of a part of a name", unread(t, s, "an"), 0)
	equal(t, "unread of another case", unread(t, s, "ANN"), 0)
}
