package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/fault"
	"example.com/hub/services/messagehub/internal/inbox"
)

// callers is more than share a statement, beside those that are under way.
const callers = 72

var sharedTests = []test{
	{"gives each push its own outcome, of keys that are new, old or the same, to few users and to many", testSharedPushes},
	{"gives each mark read its own outcome beside read-alls of the same records", testSharedReads},
	{"leaves others alone when callers leave", testSharedLeavers},
}

// together has the callers call at the same time, some rounds long.
func together(t *testing.T, rounds int, call func(caller, round int) error) {
	t.Helper()
	var g errgroup.Group
	begin := make(chan struct{})
	for c := range callers {
		g.Go(func() error {
			<-begin
			for r := range rounds {
				if err := call(c, r); err != nil {
					return fmt.Errorf("caller %d in round %d: %w", c, r, err)
				}
			}
			return nil
		})
	}
	close(begin)
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}

func testSharedPushes(t *testing.T, s inbox.Store) {
	const rounds = 12
	names := users(inbox.FewTargets * 2)
	for r := range rounds {
		push(t, s, message("erp", fmt.Sprint("old", r), "first"))
	}
	var mu sync.Mutex
	contents := map[string]string{} // by record
	together(t, rounds, func(caller, round int) error {
		random := rand.New(rand.NewPCG(uint64(caller), uint64(round)))
		id := fmt.Sprint("new", caller, "-", round)
		if random.IntN(3) == 0 {
			id = fmt.Sprint([]string{"old", "same"}[random.IntN(2)], round)
		}
		var targets []string
		for _, i := range random.Perm(len(names))[:1+random.IntN(3)] {
			targets = append(targets, names[i])
		}
		if random.IntN(12) == 0 {
			targets = append([]string{}, names...)
		}
		p := message([]string{"erp", "crm"}[random.IntN(2)], id, targets...)
		p.Content = fmt.Sprintf("round %d of caller %d", round, caller)
		p.Now = at(caller)
		result, err := s.Push(t.Context(), p)
		if err != nil {
			return err
		}
		if n := len(result.Created) + result.Duplicates; n != len(targets) {
			return fmt.Errorf("counts of %d for %d targets", n, len(targets))
		}
		mu.Lock()
		defer mu.Unlock()
		for _, c := range result.Created {
			if contents[c.ID] != "" {
				return fmt.Errorf("record %s was created twice", c.ID)
			}
			contents[c.ID] = c.Username + " " + p.ClientID + " " + p.SourceMessageID + " " + p.Content + p.Now.String()
		}
		return nil
	})
	got := map[string]string{}
	keys := map[string]bool{}
	for _, r := range list(t, s, inbox.ListParams{Page: page(0, 100_000)}).Records {
		key := r.Username + " " + r.SourceAppID + " " + r.SourceMessageID
		if keys[key] {
			t.Errorf("two records of %s", key)
		}
		keys[key] = true
		if r.Username != "first" {
			got[r.ID] = key + " " + r.Content + r.CreateTime.String()
		}
	}
	equal(t, "records", got, contents)
}

func testSharedReads(t *testing.T, s inbox.Store) {
	const messages, people = 12, 8
	names := users(people)
	for m := range messages {
		push(t, s, message("erp", fmt.Sprint("m", m), names...))
		push(t, s, message("crm", fmt.Sprint("m", m), names...))
	}
	upTo, _ := watermark(t, s, names[0])
	var switched atomic.Int64
	together(t, messages, func(caller, round int) error {
		user := names[caller%people]
		if caller < people && round%4 == 3 {
			done, err := s.MarkAllRead(t.Context(), inbox.MarkAllReadParams{
				Stamp: stamp("portal", 7), Username: user, UpTo: upTo, Rows: 5, Done: inbox.AllRead{Below: start},
			})
			switched.Add(done.Switched)
			return err
		}
		result, err := s.MarkRead(t.Context(), inbox.MarkReadParams{
			Stamp: stamp("portal", 7), SourceMessageID: fmt.Sprint("m", (caller/people+round*5)%messages), Username: user,
		})
		switched.Add(int64(result.Switched))
		return err
	})
	equal(t, "switched by all", switched.Load(), int64(messages*people*2))
	for _, user := range names {
		equal(t, "unread of "+user, unread(t, s, user), 0)
	}
}

func testSharedLeavers(t *testing.T, s inbox.Store) { SharedLeavers(t, s) }

// SharedLeavers checks that callers who leave take nobody along, and gives the number of messages that were
// stored though their callers had left.
func SharedLeavers(t *testing.T, s inbox.Store) (forgotten int) {
	t.Helper()
	var mu sync.Mutex
	stored, left := map[string]bool{}, map[string]bool{}
	ended := make(chan struct{}, callers)
	together(t, 8, func(caller, round int) error {
		p := message("erp", fmt.Sprint(caller, "-", round), "ann")
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		if caller%3 == 0 {
			go func() {
				select {
				case <-ended: // the next statement has begun
				case <-ctx.Done():
				}
				leave()
			}()
		}
		result, err := s.Push(ctx, p)
		select {
		case ended <- struct{}{}:
		default:
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil && len(result.Created) == 1:
			stored[p.SourceMessageID] = true
		case caller%3 == 0 && errors.Is(err, context.Canceled):
			left[p.SourceMessageID] = true
		default:
			return fmt.Errorf("%+v, %w", result, err)
		}
		return nil
	})
	for _, r := range list(t, s, inbox.ListParams{Page: page(0, 100_000)}).Records {
		if !stored[r.SourceMessageID] && !left[r.SourceMessageID] {
			t.Errorf("%s is stored twice, or nobody pushed it", r.SourceMessageID)
		}
		if left[r.SourceMessageID] {
			forgotten++
		}
		delete(stored, r.SourceMessageID)
		delete(left, r.SourceMessageID)
	}
	if len(stored) > 0 {
		t.Errorf("%v are not stored", stored)
	}
	return forgotten
}

// Poison is the title of messages that the store of PoisonedPushes refuses.
const Poison = "poison"

// PoisonedPushes checks that a push which the database refuses fails alone.
func PoisonedPushes(t *testing.T, s inbox.Store) {
	together(t, 8, func(caller, round int) error {
		p := message("erp", fmt.Sprint(caller, "-", round), "ann")
		poisoned := (caller+round)%9 == 0
		if poisoned {
			p.Title = Poison
		}
		result, err := s.Push(t.Context(), p)
		switch {
		case poisoned && (err == nil || fault.KindOf(err) == fault.Unavailable):
			return fmt.Errorf("a refused push gives %+v, %w", result, err)
		case !poisoned && (err != nil || len(result.Created) != 1):
			return fmt.Errorf("%+v, %w", result, err)
		}
		return nil
	})
	for _, r := range list(t, s, inbox.ListParams{Page: page(0, 100_000)}).Records {
		if r.Title == Poison {
			t.Errorf("%s is stored", r.SourceMessageID)
		}
	}
	equal(t, "stored", list(t, s, inbox.ListParams{}).Total, int64(callers*8*8/9))
}
