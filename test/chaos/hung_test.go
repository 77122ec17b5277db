package chaos

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

const (
	// longest is how long a call may take while a replica hangs, and noticed is when that is known. Who waits for
	// the replica itself gives up after 5 s (HUB_CALL_TIMEOUT).
	longest = 4 * time.Second
	noticed = 2 * time.Second
	// afterwards is how long a call may take that begins later. On a busy machine many take longer than alone.
	afterwards = 3 * time.Second
)

// A process stops without ending, like a machine that is lost: its connections stay, and take calls.
func TestAHungHubFailsNoCall(t *testing.T) {
	t.Parallel()
	demand(t, hang(t, built))
}

func TestAHungHubFailsCallsWithoutProbes(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge"},
		file:     "services/edge/internal/replicas/probe.go",
		old:      "return silent",
		new:      "return unknown",
	})
	demandFaults(t, hang(t, bin), "calls failed", "a call took")
}

func hang(t *testing.T, bin string) (faults []string) {
	st := set(t, setting{bin: bin, hubs: 3})
	stop := st.pushing(&load{
		portals: st.portals(), users: users(40), ledger: st.ledger, name: "hang",
		rate: size(100, 200), targets: 3, readEvery: 3,
	})
	for _, hub := range []string{"messagehub-1", "messagehub-2"} {
		st.wait(10*time.Second, "calls are answered", st.answering())
		faults = append(faults, st.hang(hub, size(6*time.Second, 28*time.Second))...)
	}
	stop()
	if _, failures := st.ledger.all(); len(failures) > 0 {
		faults = append(faults, fmt.Sprintf("%d calls failed, the first with %v", len(failures), failures[0].err))
	}
	return faults
}

// answering waits for some more answers.
func (st *stage) answering() func() bool {
	before := st.ledger.answers()
	return func() bool { return st.ledger.answers() >= before+200 }
}

// hang stops a replica for a while, under calls, and tells which took too long.
func (st *stage) hang(hub string, lasts time.Duration) (faults []string) {
	st.t.Helper()
	replica, begin := st.Replica(hub), time.Now()
	if err := replica.Signal(syscall.SIGSTOP); err != nil {
		st.t.Fatal(err)
	}
	st.rest(lasts)
	if err := replica.Signal(syscall.SIGCONT); err != nil {
		st.t.Fatal(err)
	}
	end := time.Now()
	st.wait(10*time.Second, "calls are answered", st.answering())

	deeds, failures := st.ledger.all()
	var slow, later time.Duration
	calls, failed := 0, 0
	for _, d := range deeds {
		if took := d.answered.Sub(d.sent); d.answered.After(begin) && d.sent.Before(end) {
			calls++
			slow = max(slow, took)
			if d.sent.After(begin.Add(noticed)) {
				later = max(later, took)
			}
		}
	}
	for _, f := range failures {
		if f.at.After(begin) {
			failed++
		}
	}
	st.t.Logf("%s hung for %v under %d calls: %d failed; the slowest took %v, from %v on %v", hub, lasts, calls, failed,
		slow.Round(time.Millisecond), noticed, later.Round(time.Millisecond))
	if slow > longest {
		faults = append(faults, fmt.Sprintf("a call took %v while %s hung", slow, hub))
	}
	if later > afterwards {
		faults = append(faults, fmt.Sprintf("a call took %v although %s was known to hang", later, hub))
	}
	return faults
}
