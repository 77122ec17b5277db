package chaos

import (
	"strings"
	"testing"
	"time"
)

// seconds is a time of these tests.
func seconds(n float64) time.Time {
	return time.Unix(1_000_000, 0).Add(time.Duration(n * float64(time.Second)))
}

func TestCheck(t *testing.T) {
	t.Parallel()
	deeds := []deed{
		{"message", "a", []string{"alice"}, seconds(0), seconds(1)},
		{"message", "b", []string{"alice"}, seconds(2), seconds(3)},
		{"read", "a", []string{"alice"}, seconds(3), seconds(4)},
	}
	inbox := map[string]string{"r1": "a", "r2": "b"}
	all := []event{
		{"message", "r1", seconds(1), false}, {"message", "r2", seconds(3), false}, {"read", "a", seconds(5), false},
	}
	for name, c := range map[string]struct {
		seen      []event
		inbox     map[string]string
		from      func(time.Time) time.Time
		fault     string // empty: there is none
		refetched int
	}{
		"all came":          {seen: all},
		"one is lost":       {seen: all[:2], fault: "1 of 3 events lost, such as [read a of alice"},
		"one is late":       {seen: append(all[:2:2], event{"read", "a", seconds(8), false}), fault: "1 of 3 events late"},
		"a fault excuses":   {seen: append(all[:2:2], event{"read", "a", seconds(8), false}), from: func(at time.Time) time.Time { return at.Add(time.Second) }},
		"one was not kept":  {seen: all[1:2], inbox: map[string]string{"r2": "b"}, fault: "1 of 3 events answered but not stored"},
		"another one's":     {seen: append(all[:3:3], event{"message", "r9", seconds(4), false}), fault: "1 of 3 events at the wrong user"},
		"a read of no such": {seen: append(all[:3:3], event{"read", "c", seconds(4), false}), fault: "1 of 3 events at the wrong user"},
		"one repeat":        {seen: append(all[:3:3], all[0])},
		"two repeats":       {seen: append(all[:3:3], all[0], all[0]), fault: "1 of 3 events repeated too often"},
		"a refetch": {
			seen: []event{{"message", "r2", seconds(4.5), true}}, refetched: 2,
		},
		"a refetch before the last answer": {
			seen: []event{{"message", "r2", seconds(3.5), true}}, refetched: 1, fault: "1 of 3 events lost, such as [read a of alice",
		},
		"no refetch for an old message": {
			seen: []event{{"message", "r1", seconds(4.5), true}}, fault: "2 of 3 events lost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.inbox == nil {
				c.inbox = inbox
			}
			portal := newTab("alice", nil)
			for _, e := range c.seen {
				portal.note(e)
			}
			found := check(deeds, map[string]*tab{"alice": portal}, map[string]map[string]string{"alice": c.inbox},
				promise{within: 3600 * time.Millisecond, repeats: 1, from: c.from})
			faults := strings.Join(found.faults(), "\n")
			if c.fault == "" && faults != "" || !strings.Contains(faults, c.fault) {
				t.Errorf("got faults %q, want %q", faults, c.fault)
			}
			if found.refetched != c.refetched {
				t.Errorf("%d refetched, want %d", found.refetched, c.refetched)
			}
		})
	}
}
