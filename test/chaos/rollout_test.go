package chaos

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"
)

// back is how long a client may be without a stream in a rollout.
const back = 20 * time.Second

func drain(delay, spread time.Duration) []string {
	return []string{"HUB_DRAIN_DELAY=" + delay.String(), "HUB_DRAIN_SPREAD=" + spread.String()}
}

func TestARolloutFailsNoRequestAndLosesNoEvent(t *testing.T) {
	t.Parallel()
	demand(t, rollout(t, built, drain(2*time.Second, size(3*time.Second, 10*time.Second))))
}

func TestARolloutLosesEventsWithoutResume(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge"},
		file:     "services/edge/internal/stream/serve.go",
		old:      "from, id := uint64(0), lastEventID(r)",
		new:      "from, id := uint64(0), lastEventID(r)[:0]",
	})
	demandFaults(t, rollout(t, bin, drain(2*time.Second, 3*time.Second)), "events lost")
}

func TestARolloutFailsRequestsWithoutADelay(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("needs -full")
	}
	demandFaults(t, rollout(t, built, drain(0, 0)), "calls failed", "connects failed")
}

// rollout restarts both edges, one after the other, behind a balancer.
func rollout(t *testing.T, bin string, environ []string) (faults []string) {
	st := set(t, setting{bin: bin, environ: environ})
	lb, err := newBalancer(t.Context(), st.edges)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lb.stop)
	p := st.portal(lb.address())
	names := users(size(200, 2000))
	st.open(names, p)
	stop := st.pushing(&load{
		portals: []*portal{p, p.fresh()}, users: names, ledger: st.ledger, name: "rollout",
		rate:    size(60, 200),
		targets: size(5, 2), readEvery: 4,
	})
	for range size(1, 2) {
		for _, edge := range []string{"edge-1", "edge-2"} {
			faults = append(faults, st.roll(lb, edge)...)
		}
	}
	stop()

	rolled := size(1, 2) * len(st.edges)
	found := st.verdict(p, promise{within: back, repeats: rolled})
	t.Logf("%d restarts under %d streams: %v", rolled, len(names), found)
	faults = append(faults, found.faults()...)
	if _, failures := st.ledger.all(); len(failures) > 0 {
		faults = append(faults, fmt.Sprintf("%d calls failed, the first with %v", len(failures), failures[0].err))
	}
	return append(faults, st.reconnects()...)
}

// roll restarts an edge and waits until every client has a stream.
func (st *stage) roll(lb *balancer, edge string) (faults []string) {
	st.t.Helper()
	replica, began := st.Replica(edge), time.Now()
	if err := replica.Signal(syscall.SIGTERM); err != nil {
		st.t.Fatal(err)
	}
	select {
	case <-replica.Exited:
	case <-time.After(time.Minute):
		st.t.Fatalf("%s does not end", edge)
	}
	if !replica.State().Success() {
		faults = append(faults, fmt.Sprintf("%s ended with %v", edge, replica.State()))
	}
	ended := time.Now()
	if err := st.Restart(st.t.Context(), edge); err != nil {
		st.t.Fatal(err)
	}
	st.wait(10*time.Second, "the balancer knows the edge again", func() bool {
		return !slices.ContainsFunc(lb.edges, func(e *backend) bool { return !e.ready.Load() })
	})
	st.wait(back, "every client has a stream", func() bool {
		for _, t := range st.tabs {
			if !t.isOpen() {
				return false
			}
		}
		return true
	})
	st.t.Logf("%s ended after %v, and all is well after %v", edge,
		ended.Sub(began).Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	return faults
}

// reconnects checks how the clients came back.
func (st *stage) reconnects() (faults []string) {
	st.t.Helper()
	var failed, again int
	var first error
	var longest time.Duration
	seconds := map[int64]int{}
	for user, t := range st.tabs {
		opens, ended := t.openings()
		if ended != nil {
			faults = append(faults, fmt.Sprintf("the browser of %s: %v", user, ended))
		}
		for i, o := range opens {
			if o.failed != nil {
				failed, first = failed+1, o.failed
			}
			if i == 0 || opens[i-1].failed != nil {
				continue
			}
			again++
			seconds[o.at.Unix()]++
			longest = max(longest, o.at.Sub(opens[i-1].closed))
		}
	}
	peak := 0
	for _, n := range seconds {
		peak = max(peak, n)
	}
	st.t.Logf("%d reconnects, at most %d a second; the longest time without a stream was %v", again, peak, longest.Round(time.Millisecond))
	if failed > 0 {
		faults = append(faults, fmt.Sprintf("%d connects failed, one with %v", failed, first))
	}
	if longest > back {
		faults = append(faults, fmt.Sprintf("a client was without a stream for %v", longest))
	}
	return faults
}
