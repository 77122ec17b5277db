package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"example.com/hub/services/messagehub/internal/inbox"
)

var pushTests = []test{
	{"stores one unread record per target", testPushStores},
	{"ignores a key that is stored", testPushAgain},
	{"stores only the new users of an old key", testPushNewUsers},
	{"gives new users the new content and leaves old records alone", testPushNewContent},
	{"leaves a read record read", testPushAfterRead},
	{"is unique on app, message id and user, not on their joined text", testPushColons},
	{"gives every record its own id", testPushIDs},
	{"stores each record once when identical pushes race", testPushIdenticalRace},
	{"stores each record once, with its own push's content, when overlapping pushes race", testPushOverlappingRace},
}

func testPushStores(t *testing.T, s inbox.Store) {
	p := message("erp", "m1", "zoe", "ann")
	p.Actions = []inbox.Action{{Label: "open", URL: "/orders/1"}, {URL: "https://example.com"}}
	result := push(t, s, p)
	equal(t, "created users", usernames(result.Created), []string{"ann", "zoe"})
	equal(t, "duplicates", result.Duplicates, 0)
	for _, created := range result.Created {
		equal(t, "record of "+created.Username, only(t, s, created.Username), inbox.Record{
			ID:              created.ID,
			Username:        created.Username,
			SourceAppID:     "erp",
			SourceMessageID: "m1",
			Message:         p.Message,
			Status:          inbox.Unread,
			OccurredAt:      at(0),
			CreateTime:      at(1),
			ModifyTime:      at(1),
			CreatorID:       "erp",
			ModifierID:      "erp",
		})
	}
}

func testPushAgain(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann", "zoe"))
	before := list(t, s, inbox.ListParams{})

	again := message("erp", "m1", "ann", "zoe")
	again.Title, again.Content, again.Now = "other", "other", at(9)
	result := push(t, s, again)
	equal(t, "created", len(result.Created), 0)
	equal(t, "duplicates", result.Duplicates, 2)
	equal(t, "records", list(t, s, inbox.ListParams{}), before)
}

func testPushNewUsers(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "bob", "dan"))
	result := push(t, s, message("erp", "m1", "ann", "bob", "cat", "dan", "eve"))
	equal(t, "created users", usernames(result.Created), []string{"ann", "cat", "eve"})
	equal(t, "duplicates", result.Duplicates, 2)
	for _, created := range result.Created {
		equal(t, "id of "+created.Username, only(t, s, created.Username).ID, created.ID)
	}
}

func testPushNewContent(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann"))
	before := only(t, s, "ann")

	second := message("erp", "m1", "ann", "bob")
	second.Title, second.Content, second.Category = "new title", "new content", "alarm"
	second.Actions = []inbox.Action{{Label: "new"}}
	second.OccurredAt, second.Now = at(5), at(6)
	push(t, s, second)

	equal(t, "record of ann", only(t, s, "ann"), before)
	got := only(t, s, "bob")
	want := before
	want.ID, want.Username = got.ID, "bob"
	want.Title, want.Content, want.Category, want.Actions = "new title", "new content", "alarm", second.Actions
	want.OccurredAt, want.CreateTime, want.ModifyTime = at(5), at(6), at(6)
	equal(t, "record of bob", got, want)
}

func testPushAfterRead(t *testing.T, s inbox.Store) {
	push(t, s, message("erp", "m1", "ann"))
	markRead(t, s, "m1", "ann", at(3))
	before := only(t, s, "ann")
	result := push(t, s, message("erp", "m1", "ann"))
	equal(t, "duplicates", result.Duplicates, 1)
	equal(t, "record", only(t, s, "ann"), before)
}

func testPushColons(t *testing.T, s inbox.Store) {
	type key struct{ app, id, user string }
	var runs int
	check := func(t tester, keys []key) {
		// The runs share the store, so each has apps of its own.
		runs++
		stored := map[key]bool{}
		for _, k := range keys {
			p := message(fmt.Sprint(runs, ":", k.app), k.id, k.user)
			created := len(push(t, s, p).Created) == 1
			if created == stored[k] {
				t.Fatalf("push of %+q after %v: created is %v", k, stored, created)
			}
			stored[k] = true
		}
	}
	check(t, []key{{"a", "b:c", "d"}, {"a", "b", "c:d"}, {"a:b", "c", "d"}})

	part := rapid.StringMatching(`[ab:]{1,3}`)
	keys := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) key {
		return key{part.Draw(t, "app"), part.Draw(t, "id"), part.Draw(t, "user")}
	}), 2, 6)
	rapid.Check(t, func(t *rapid.T) { check(t, keys.Draw(t, "keys")) })
}

func testPushIDs(t *testing.T, s inbox.Store) {
	const targets = 1000
	seen := map[string]string{}
	for i := range 3 {
		result := push(t, s, message("erp", fmt.Sprint("m", i), users(targets)...))
		equal(t, "created", len(result.Created), targets)
		for _, c := range result.Created {
			if c.ID == "" || seen[c.ID] != "" {
				t.Fatalf("id %q of %s is also the id of %q", c.ID, c.Username, seen[c.ID])
			}
			seen[c.ID] = c.Username
		}
	}
	for _, r := range list(t, s, inbox.ListParams{Page: page(0, 5000)}).Records {
		if seen[r.ID] != r.Username {
			t.Fatalf("id %q was given to %q and is listed for %q", r.ID, seen[r.ID], r.Username)
		}
	}
}

func testPushIdenticalRace(t *testing.T, s inbox.Store) {
	const writers, messages = 16, 20
	targets := users(7)
	var created, duplicates atomic.Int64
	var g errgroup.Group
	for w := range writers {
		g.Go(func() error {
			for _, m := range rand.New(rand.NewPCG(uint64(w), 0)).Perm(messages) {
				result, err := s.Push(t.Context(), message("erp", fmt.Sprint("m", m), slices.Clone(targets)...))
				if err != nil {
					return err
				}
				created.Add(int64(len(result.Created)))
				duplicates.Add(int64(result.Duplicates))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	const want = int64(messages * 7)
	equal(t, "created", created.Load(), want)
	equal(t, "duplicates", duplicates.Load(), want*(writers-1))
	equal(t, "stored", list(t, s, inbox.ListParams{}).Total, want)
}

func testPushOverlappingRace(t *testing.T, s inbox.Store) {
	const writers, messages, people = 12, 12, 20
	names := users(people)
	// What each push says that it created, with the content that it sent.
	contents := make([]map[string]string, writers)
	var g errgroup.Group
	for w := range writers {
		contents[w] = map[string]string{}
		g.Go(func() error {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for _, m := range random.Perm(messages) {
				var targets []string
				for _, i := range random.Perm(people)[:people/2] {
					targets = append(targets, names[i])
				}
				p := message("erp", fmt.Sprint("m", m), targets...)
				p.Content = fmt.Sprintf("message %d of writer %d", m, w)
				result, err := s.Push(t.Context(), p)
				if err != nil {
					return err
				}
				if n := len(result.Created) + result.Duplicates; n != len(targets) {
					return fmt.Errorf("counts of %d for %d targets", n, len(targets))
				}
				for _, c := range result.Created {
					contents[w][c.ID] = p.Content
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, mine := range contents {
		for id, content := range mine {
			if other, found := want[id]; found {
				t.Errorf("record %s was created by %q and by %q", id, other, content)
			}
			want[id] = content
		}
	}
	got := map[string]string{}
	keys := map[string]bool{}
	for _, r := range list(t, s, inbox.ListParams{}).Records {
		got[r.ID] = r.Content
		key := r.SourceMessageID + " " + r.Username
		if keys[key] {
			t.Errorf("two records of %s", key)
		}
		keys[key] = true
	}
	equal(t, "contents by record", got, want)
}
