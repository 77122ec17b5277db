package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"example.com/hub/services/messagehub/internal/inbox"
)

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
