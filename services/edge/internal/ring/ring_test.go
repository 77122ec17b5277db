package ring_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/ring"
)

// kept is an event of the plain list that a ring is compared with.
type kept struct {
	bus.Event
	arrived time.Time
	late    bool
}

// replayOf is what a client is to get that saw id last, from all that was ever added; known is false
// when nothing is known of id any more. It knows nothing of the limit on memory.
func replayOf(all []kept, user, id string, now time.Time, window time.Duration) (ids []string, known, late bool) {
	first := -1
	for i, e := range all {
		if e.User == user && e.ID == id && now.Sub(e.arrived) <= window {
			first = i
			break
		}
	}
	if first < 0 {
		return nil, false, false
	}
	for i, e := range all {
		overlap := all[first].late && now.Sub(e.arrived) <= window && !e.Time.Before(all[first].Time.Add(-ring.Overlap))
		if e.User == user && (i > first || overlap) {
			for _, e := range all[i:] {
				if e.User == user {
					ids = append(ids, e.ID)
				}
			}
			return ids, true, all[first].late
		}
	}
	return nil, true, all[first].late
}

var noon = time.UnixMilli(1_700_000_000_000)

func message(user, id string) bus.Event {
	return bus.Event{Kind: bus.Message, User: user, ID: id, Time: noon}
}

// addLine appends the id.
func addLine(dst []byte, e ring.Event) []byte { return append(append(dst, e.ID...), '\n') }

// replayed reads to the end, in small pieces.
func replayed(r *ring.Ring, user string, place uint64) (ids []string, ok bool) {
	for {
		lines, n, next, ok := r.Read(nil, user, place, 100, addLine)
		if !ok {
			return nil, false
		}
		if n == 0 {
			return ids, true
		}
		got := strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n")
		if len(got) != n {
			panic(fmt.Sprintf("read %d events and said %d", len(got), n))
		}
		ids = append(ids, got...)
		place = next
	}
}

func TestRingIsLikeAPlainList(t *testing.T) {
	const window = time.Minute
	rapid.Check(t, func(t *rapid.T) {
		now := noon
		r := ring.New(window, 64<<20, func() time.Time { return now })
		users := []string{"alice", "bob", "é", ""}
		var all []kept
		last, dropped := "", false
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				late := rapid.Bool().Draw(t, "late")
				n := rapid.IntRange(1, 5).Draw(t, "events")
				var events []bus.Event
				for range n {
					last = fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "id"))
					e := bus.Event{
						Kind: rapid.SampledFrom([]bus.Kind{bus.Message, bus.Read}).Draw(t, "kind"),
						User: rapid.SampledFrom(users).Draw(t, "user"),
						ID:   last + strings.Repeat(" ", rapid.SampledFrom([]int{0, 9_000}).Draw(t, "length")) + ".",
						// The order of times is any, but close to the order of arrivals.
						Time: now.Add(time.Duration(rapid.IntRange(-2000, 2000).Draw(t, "ms")) * time.Millisecond),
					}
					last = e.ID
					events = append(events, e)
					all = append(all, kept{e, now, late})
				}
				r.Add(events, late)
			},
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(t, "ms")) * time.Millisecond)
			},
			"forget": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "seldom") == 0 {
					dropped = dropped || len(all) > 0
					all = nil
					r.Forget()
				}
			},
			"": func(t *rapid.T) {
				dropped = dropped || len(all) > 0 && now.Sub(all[0].arrived) > window
				for _, user := range users {
					want, known, late := replayOf(all, user, last, now, window)
					place, ok := r.Find(user, last)
					// The ring is careful with late events that may be close to dropped ones.
					if ok != known && (ok || !late || !dropped) {
						t.Fatalf("that %q is known to %q is %v, want %v", last, user, ok, known)
					}
					if !ok {
						continue
					}
					got, ok := replayed(r, user, place)
					if !ok {
						t.Fatalf("what follows %q is dropped", last)
					}
					// Older events than the window may be repeated, none may be missing.
					if len(got) < len(want) || !cmp.Equal(got[len(got)-len(want):], want) {
						t.Fatalf("after %q %q gets %q, want at its end %q", last, user, got, want)
					}
				}
			},
		})
	})
}

func TestRingKeepsToItsMemory(t *testing.T) {
	const limit = 1 << 20
	now := noon
	r := ring.New(time.Minute, limit, func() time.Time { return now })
	frame := make([]bus.Event, 10_000)
	added := 0
	for range 20 {
		for i := range frame {
			frame[i] = message(fmt.Sprint("user-", i%7), fmt.Sprint("id-", added))
			added++
		}
		r.Add(frame, false)
		if n := r.Tidy(); n > limit {
			t.Fatalf("the ring takes %d bytes, want at most %d", n, limit)
		}
	}
	last := frame[len(frame)-8]
	if place, ok := r.Find(last.User, last.ID); !ok {
		t.Error("the last event but one is not known")
	} else if got, _ := replayed(r, last.User, place); len(got) != 1 {
		t.Errorf("%d events follow the last but one, want 1", len(got))
	}
	if _, ok := r.Find(frame[0].User, "id-0"); ok {
		t.Error("the first event is known, which is longer ago than the memory reaches")
	}
	if _, _, _, ok := r.Read(nil, last.User, 0, math.MaxInt, addLine); ok {
		t.Error("events that were dropped are read without a word")
	}
	now = now.Add(2 * time.Minute)
	if n := r.Tidy(); n != 0 {
		t.Errorf("the ring takes %d bytes after its window", n)
	}
	if _, n, _, ok := r.Read(nil, "alice", uint64(math.MaxUint64), 1, addLine); n != 0 || !ok {
		t.Error("an empty ring cannot be read")
	}
}

// TestUsersAreToldApart has several users for each chain of the ring.
func TestUsersAreToldApart(t *testing.T) {
	const users = 20_000
	r := ring.New(time.Minute, 64<<20, time.Now)
	for _, id := range []string{"1", "2"} {
		frame := make([]bus.Event, users)
		for i := range frame {
			frame[i] = message(fmt.Sprint("user-", i), id)
		}
		r.Add(frame, false)
	}
	for i := range users {
		user := fmt.Sprint("user-", i)
		place, ok := r.Find(user, "1")
		if !ok {
			t.Fatalf("the event of %s is not known", user)
		}
		if got, _ := replayed(r, user, place); len(got) != 1 || got[0] != "2" {
			t.Fatalf("%s gets %q, want 2", user, got)
		}
	}
}

func TestRingIsCarefulNearWhatItDropped(t *testing.T) {
	now := noon
	r := ring.New(time.Minute, 1<<20, func() time.Time { return now })
	filler := strings.Repeat("x", 1000)
	fill := func(blocks int) {
		for range blocks * ring.BlockSize / len(filler) {
			r.Add([]bus.Event{message("bob", filler)}, true)
		}
	}
	early, near := message("alice", "early"), message("alice", "near")
	early.Time, near.Time = noon.Add(time.Hour), noon.Add(ring.Overlap)
	r.Add([]bus.Event{early}, true)
	fill(4)
	r.Add([]bus.Event{near}, true)
	if _, ok := r.Find("alice", "near"); !ok {
		t.Fatal("the event is not known although nothing was dropped")
	}
	fill(13)
	if _, ok := r.Find("alice", "near"); ok {
		t.Error("the event is known although one within the overlap was dropped")
	}
	if _, ok := r.Find("bob", filler); ok {
		t.Error("the same holds for another user") // whose events have the time of the dropped ones
	}
}

func TestEventThatNoBlockHoldsIsLikeALoss(t *testing.T) {
	r := ring.New(time.Minute, 1<<20, time.Now)
	r.Add([]bus.Event{message("alice", "1")}, false)
	place, ok := r.Find("alice", "1")
	if !ok {
		t.Fatal("the first event is not known")
	}
	r.Add([]bus.Event{message("alice", strings.Repeat("x", 70_000)), message("alice", "3")}, false)
	if _, ok := r.Find("alice", "1"); ok {
		t.Error("an event is known although a later one is missing")
	}
	if _, ok := replayed(r, "alice", place); ok {
		t.Error("a replay goes on although an event is missing")
	}
	if _, ok := r.Find("alice", "3"); !ok {
		t.Error("the event after the missing one is not known")
	}
}

func TestRingMakesNoGarbage(t *testing.T) {
	r := ring.New(time.Minute, 1<<20, time.Now)
	frame := make([]bus.Event, 10_000)
	for i := range frame {
		frame[i] = message(fmt.Sprint("user-", i), fmt.Sprint("0190c1f2-7e1b-7cc0-8a5e-", i))
	}
	r.Add(frame, false)
	r.Add(frame, false)
	if n := testing.AllocsPerRun(10, func() { r.Add(frame, false) }); n > 20 {
		t.Errorf("adding 10,000 events allocates %v times, want some blocks at most", n)
	}
}
