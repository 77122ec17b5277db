package chaos

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// repair is how long an event may take from the recovery on.
	repair = 3 * time.Second
	// underWay is how long an announcement may be under way.
	underWay = 200 * time.Millisecond
)

// A process dies between the commit of a change and its announcement. It is made to happen by a Redis
// that a messagehub cannot reach, so that announcements wait in its memory when it is killed.
func TestACrashLosesNoEvent(t *testing.T) {
	t.Parallel()
	demand(t, crash(t, built, size(5, 100)))
}

func TestACrashLosesEventsWithoutTheSweep(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"messagehub"},
		file:     "services/messagehub/internal/outbox/sweep.go",
		old:      "missing, left := o.missing(rest)",
		new:      "missing, left := []Row(nil), false",
	})
	demandFaults(t, crash(t, bin, 2), "events lost")
}

// death is a crash of a messagehub.
type death struct {
	// stuck is when it could not announce any more.
	stuck, killed time.Time
	// recovered is when another one had the lease of the sweep.
	recovered time.Time
}

func crash(t *testing.T, bin string, rounds int) (faults []string) {
	return set(t, setting{bin: bin}).crash(rounds)
}

func (st *stage) crash(rounds int) (faults []string) {
	portals := st.portals()
	st.open(users(40), portals...)
	stop := st.pushing(&load{
		portals: portals, users: users(40), ledger: st.ledger, name: "crash", rate: 60, targets: 1, readEvery: 3,
	})
	var deaths []death
	for round := range rounds {
		deaths = append(deaths, st.die(fmt.Sprintf("messagehub-%d", round%2+1)))
	}
	stop()

	found := st.verdict(portals[0], promise{within: repair, repeats: rounds, from: func(answered time.Time) time.Time {
		for _, d := range deaths {
			if answered.After(d.stuck.Add(-underWay)) && answered.Before(d.killed) {
				return d.recovered
			}
		}
		return answered
	}})
	swept := 0
	for _, s := range found.seen {
		if s.delay() > time.Second {
			swept++
		}
	}
	_, failures := st.ledger.all()
	st.t.Logf("%d crashes: %v; %d events came by a sweep, %d attempts at calls failed", rounds, found, swept, len(failures))
	faults = found.faults()
	if len(found.lost) == 0 && swept < rounds {
		faults = append(faults, fmt.Sprintf("the test is void: %d crashes, but only %d announcements were pending", rounds, swept))
	}
	return faults
}

// die keeps a messagehub from Redis until it has answered some calls, kills it, and starts it again.
func (st *stage) die(victim string) death {
	st.t.Helper()
	network := st.networks[victim]
	d := death{stuck: time.Now()}
	network.stall()
	before := st.ledger.answers()
	st.wait(10*time.Second, "calls are answered without Redis", func() bool { return st.ledger.answers() >= before+12 })
	st.rest(rand.N(100 * time.Millisecond))
	st.Replica(victim).Kill()
	d.killed = time.Now()
	holder, left := st.lease()
	network.cut() // what waits in the network dies, too
	network.heal()
	if err := st.Restart(st.t.Context(), victim); err != nil {
		st.t.Fatal(err)
	}
	st.settled(8 * time.Second)
	d.recovered = d.killed
	if now, _ := st.lease(); now != holder {
		d.recovered = d.killed.Add(left)
	}
	return d
}

// lease tells who sweeps, and for how long if nothing happens.
func (st *stage) lease() (holder string, left time.Duration) {
	st.t.Helper()
	row, err := st.Postgres.Query(st.t.Context(), "messagehub",
		"SELECT holder, extract(epoch FROM expires - clock_timestamp()) FROM event_sweep")
	if err != nil {
		st.t.Fatal(err)
	}
	holder, seconds, _ := strings.Cut(row, "|")
	n, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		st.t.Fatal(err)
	}
	return holder, max(0, time.Duration(n*float64(time.Second)))
}
