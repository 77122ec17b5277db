package chaos

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// After every fault a badge must show what is unread, without anybody reloading the page.
func TestCountsOfSocketsEndRight(t *testing.T) {
	t.Parallel()
	demand(t, badges(t, built))
}

func TestCountsOfSocketsEndWrongWithoutARecount(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge"},
		file:     "services/edge/internal/socket/tell.go",
		old:      "	b.counter.all()\n}\n\n// deliver tells the sockets of the frame's users that are here what is for them. It waits for no client.\nfunc (b *Broker) deliver(f bus.Frame, a stream.Arrival) {\n",
		new:      "}\n\nfunc (b *Broker) deliver(f bus.Frame, a stream.Arrival) {\n	if a.Late {\n		return\n	}\n",
	})
	demandFaults(t, badges(t, bin), "shows")
}

func badges(t *testing.T, bin string) (faults []string) {
	st := set(t, setting{bin: bin})
	portals, names := st.portals(), users(40)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var following sync.WaitGroup
	t.Cleanup(func() { cancel(); following.Wait() })
	var all []*badge
	for _, name := range names {
		for _, p := range portals {
			b, err := p.openBadge(ctx, name, &following)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
	}
	l := &load{portals: portals, users: names, ledger: st.ledger, name: "badge", rate: 40, targets: 2, readEvery: 2}
	for _, fault := range []func(){
		func() { killRedis(st); st.rest(size(3*time.Second, 15*time.Second)); restartRedis(st) },
		func() {
			st.networks["edge-1"].stall()
			st.rest(size(7*time.Second, 20*time.Second))
			st.networks["edge-1"].heal()
		},
		func() { st.restartHub("messagehub-1") },
		func() { st.restartHub("messagehub-2") },
	} {
		stop := st.pushing(l)
		st.rest(time.Second)
		fault()
		// Where nothing follows, only what makes up for the fault can tell.
		stop()
		faults = append(faults, st.badgesShow(portals[0], all)...)
	}
	for _, b := range all {
		if _, _, err := b.shows(); err != nil {
			faults = append(faults, fmt.Sprintf("the socket of %s has ended: %v", b.user, err))
		}
	}
	return faults
}

// restartHub kills a replica while calls are under way, and starts it again.
func (st *stage) restartHub(name string) {
	st.t.Helper()
	st.Replica(name).Kill()
	st.rest(time.Second)
	if err := st.Restart(st.t.Context(), name); err != nil {
		st.t.Fatal(err)
	}
}

// badgesShow waits until every badge shows what is unread.
func (st *stage) badgesShow(p *portal, all []*badge) (faults []string) {
	st.t.Helper()
	want := map[string]int64{}
	for _, b := range all {
		n, err := p.unread(st.t.Context(), b.user)
		if err != nil {
			st.t.Fatal(err)
		}
		want[b.user] = n
	}
	began, counts := time.Now(), 0
	wrong := func() (wrong []string) {
		counts = 0
		for _, b := range all {
			unread, n, _ := b.shows()
			if counts += n; unread != want[b.user] {
				wrong = append(wrong, fmt.Sprintf("a badge of %s shows %d, and %d are unread", b.user, unread, want[b.user]))
			}
		}
		return wrong
	}
	well := st.comes(healing, func() bool { return len(wrong()) == 0 })
	st.t.Logf("all badges are right: %v, after %v and %d counts", well, time.Since(began).Round(time.Millisecond), counts)
	return wrong()
}
