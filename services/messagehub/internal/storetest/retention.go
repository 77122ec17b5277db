package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/retention"
	"example.com/hub/services/messagehub/internal/inbox"
)

var retentionTests = []test{
	{"removes what was read before", testRetention},
	{"counts from when it occurred or was read, whichever is later", testRetentionOccurred},
	{"leaves the content that other users have", testRetentionShared},
	{"ends in an empty store", testRetentionEmpty},
	{"lets a removed key be pushed again", testRetentionForgets},
	{"loses no record of a push at the same time", testRetentionRace},
}

// removeOld goes through all users as a retention.Loop does, with small batches, and gives the number
// of the records that were removed.
func removeOld(t tester, s inbox.Store, before time.Time) (removed int) {
	t.Helper()
	old, ok := s.(retention.Store)
	if !ok {
		t.Fatalf("%T cannot remove what is old", s)
	}
	b := retention.Batch{Before: before, Users: 2, Rows: 3}
	for range 1000 {
		r, err := old.RemoveOld(t.Context(), b)
		if err != nil || r.Busy {
			t.Fatalf("remove old records behind %q: busy %v, %v", b.After, r.Busy, err)
		}
		if r.Removed > b.Rows {
			t.Errorf("a batch removed %d records, want at most %d", r.Removed, b.Rows)
		}
		if removed += r.Removed; r.Done {
			return removed
		}
		b.After = r.Next
	}
	t.Fatalf("the end does not come")
	return 0
}

// messageIDs are those of the user's records, in order.
func messageIDs(t tester, s inbox.Store, username string) []string {
	t.Helper()
	return idsIn(t, s, username, 0)
}

// testRetention has, for each of some users, messages that were never read, and read just before, at and
// after the time.
func testRetention(t *testing.T, s inbox.Store) {
	names := []string{"ann", "ann ", "Bob", "bob", "eve", "zoe\U0001f600"}
	var gone int
	left := map[string][]string{}
	for _, username := range names {
		for i, read := range []int{0, 10, 19, 20, 21, 12, 13} {
			id := fmt.Sprint("m", i, " of ", username)
			push(t, s, message("erp", id, username))
			switch {
			case read == 0:
				left[username] = append(left[username], id)
				continue
			case read < 20:
				gone++
			default:
				left[username] = append(left[username], id)
			}
			markRead(t, s, id, username, at(read))
		}
	}
	equal(t, "removed", removeOld(t, s, at(20)), gone)
	for _, username := range names {
		equal(t, fmt.Sprintf("left of %q", username), messageIDs(t, s, username), left[username])
		equal(t, fmt.Sprintf("unread of %q", username), unread(t, s, username), 1)
	}
	equal(t, "removed the second time", removeOld(t, s, at(20)), 0)
}

func testRetentionOccurred(t *testing.T, s inbox.Store) {
	for id, occurred := range map[string]int{"past": -100, "future": 100} {
		p := message("erp", id, "ann")
		p.OccurredAt = at(occurred)
		push(t, s, p)
		markRead(t, s, id, "ann", at(10))
	}
	equal(t, "removed before the reading", removeOld(t, s, at(10)), 0)
	equal(t, "removed after the reading", removeOld(t, s, at(11)), 1)
	equal(t, "left", messageIDs(t, s, "ann"), []string{"future"})
	equal(t, "removed after the future", removeOld(t, s, at(101)), 1)
}

func testRetentionShared(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann", "bob"))
	late := message("erp", "m1", "cat")
	late.Content, late.Now = "another content", at(2)
	push(t, s, late)
	bob := only(t, s, "bob")
	for _, username := range []string{"ann", "cat"} {
		markRead(t, s, "m1", username, at(10))
	}
	equal(t, "removed", removeOld(t, s, at(20)), 2)
	equal(t, "record of bob", only(t, s, "bob"), bob)
	equal(t, "duplicates of bob", push(t, s, message("erp", "m1", "bob")).Duplicates, 1)
	equal(t, "switched for bob", markRead(t, s, "m1", "bob", at(21)), 1)
	equal(t, "removed later", removeOld(t, s, at(30)), 1)
	equal(t, "records", list(t, s, inbox.ListParams{}).Total, 0)
}

func testRetentionEmpty(t *testing.T, s inbox.Store) {
	equal(t, "removed", removeOld(t, s, at(100)), 0)
}

// testRetentionForgets: with the record goes its key.
func testRetentionForgets(t *testing.T, s inbox.Store) {
	first := push(t, s, message("erp", "m1", "ann")).Created
	markRead(t, s, "m1", "ann", at(10))
	equal(t, "duplicates before", push(t, s, message("erp", "m1", "ann")).Duplicates, 1)
	equal(t, "removed", removeOld(t, s, at(20)), 1)
	equal(t, "switched of a removed record", markRead(t, s, "m1", "ann", at(21)), 0)

	p := message("erp", "m1", "ann")
	p.Now = at(30)
	again := push(t, s, p)
	equal(t, "duplicates after", again.Duplicates, 0)
	if len(again.Created) != 1 || again.Created[0].ID == first[0].ID {
		t.Errorf("created %+v, want a record with another id than %+v", again.Created, first)
	}
	equal(t, "status", only(t, s, "ann").Status, inbox.Unread)
}

// testRetentionRace pushes the same messages again, to an old user and a new one each time, while the old
// records are removed. The new user gets a record in any case, and whoever is told of one finds it.
func testRetentionRace(t *testing.T, s inbox.Store) {
	const messages, rounds = 8, 25
	old := s.(retention.Store)
	for round := range rounds {
		now, fresh := at(round*10), fmt.Sprint("user-", round)
		var g errgroup.Group
		var created [messages][]inbox.Created
		for range 2 {
			g.Go(func() error {
				_, err := old.RemoveOld(t.Context(), retention.Batch{Before: now, Users: 1000, Rows: 1000})
				return err
			})
		}
		for m := range messages {
			g.Go(func() error {
				p := message("erp", fmt.Sprint("m", m), "ann", fresh)
				p.Now = now
				result, err := s.Push(t.Context(), p)
				created[m] = result.Created
				return err
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		for m := range messages {
			id := fmt.Sprint("m", m)
			if !slices.ContainsFunc(created[m], func(c inbox.Created) bool { return c.Username == fresh }) {
				t.Fatalf("round %d: the push of %s to a new user created %+v", round, id, created[m])
			}
			found := list(t, s, inbox.ListParams{SourceMessageID: id, Status: inbox.Unread}).Total
			equal(t, fmt.Sprintf("unread records of %s in round %d", id, round), int(found), len(created[m]))
			for _, c := range created[m] {
				markRead(t, s, id, c.Username, now)
			}
		}
	}
}
