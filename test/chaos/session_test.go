package chaos

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// validity is for how long a cookie is good by itself in these tests, in the place of five minutes.
const validity time.Duration = 12 * time.Second

// fast is a Hub whose cookies are renewed after half of validity.
func fast(t *testing.T) string {
	t.Helper()
	return altered(t, mutation{
		binaries: []string{"edge"},
		file:     "services/edge/internal/session/session.go",
		old:      "Validity = 5 * time.Minute",
		new:      fmt.Sprintf("Validity = %d * time.Second", validity/time.Second),
	})
}

func TestSessionsOutliveWhatKeepsThem(t *testing.T) {
	t.Parallel()
	st := set(t, setting{bin: fast(t), shape: twoPortalhubs(t)})
	w := st.browse(6)
	stop := st.pushing(&load{
		portals: st.portals(), users: users(40), ledger: st.ledger, name: "sessions", rate: size(20, 100), targets: 3, readEvery: 3,
	})
	replicas := []string{"portalhub-1", "portalhub-2"}

	w.during("a portalhub hangs, and the other one is killed thereafter", func() {
		st.signal(syscall.SIGSTOP, replicas[1])
		st.rest(size(validity, 2*validity))
		st.signal(syscall.SIGCONT, replicas[1])
		st.rest(validity / 4)
		st.Replica(replicas[0]).Kill()
		st.rest(size(validity, 2*validity))
		st.again(replicas[0])
	}).wants(t, http.StatusOK)
	w.away(t, "all portalhubs are killed", func() {
		for _, name := range replicas {
			st.Replica(name).Kill()
		}
	}, func() { st.again(replicas...) })
	if *full {
		w.away(t, "all portalhubs hang",
			func() { st.signal(syscall.SIGSTOP, replicas...) },
			func() { st.signal(syscall.SIGCONT, replicas...) })
	}

	stop()
	if deeds, failures := st.ledger.all(); len(failures) > 0 || len(deeds) == 0 {
		t.Errorf("of the clients' calls %d were answered and %d failed: %v", len(deeds), len(failures), failures)
	}
	w.restartEdges().wants(t, http.StatusOK)
}

// TestSessionsInMemoryDoNotOutliveThem shows what the test before would find.
func TestSessionsInMemoryDoNotOutliveThem(t *testing.T) {
	t.Parallel()
	if !*full {
		t.Skip("like mutants, with -full")
	}
	st := set(t, setting{bin: fast(t), shape: func(cfg *shape.Config) {
		for _, name := range []string{"edge-1", "edge-2"} {
			cfg.Own[name] = append(cfg.Own[name], "HUB_PORTALHUB_TARGET=")
		}
	}})
	w := st.browse(6)
	if s := w.restartEdges(); s[http.StatusUnauthorized].n == 0 {
		t.Errorf("edges answered %v", s)
	}
}

// TestALogoutThatAnEdgeDoesNotHear keeps the bus from an edge.
func TestALogoutThatAnEdgeDoesNotHear(t *testing.T) {
	t.Parallel()
	st := set(t, setting{bin: fast(t), shape: twoPortalhubs(t)})
	b := st.logIn()
	for _, edge := range st.edges {
		if status, err := b.me(t.Context(), edge); status != http.StatusOK {
			t.Fatalf("after the login %d, %v", status, err)
		}
	}
	st.networks["edge-2"].stall()
	out := time.Now()
	if status, err := b.ask(t.Context(), http.MethodPost, st.edges[0], "/portal/logout", false); status != http.StatusOK {
		t.Fatalf("the logout is answered %d, %v", status, err)
	}
	if status, _ := b.me(t.Context(), st.edges[0]); status != http.StatusUnauthorized {
		t.Errorf("where the logout was: %d", status)
	}
	if status, _ := b.me(t.Context(), st.edges[1]); status != http.StatusOK && time.Since(out) < validity/2 {
		t.Errorf("the test is void: an edge that does not hear answers %d", status)
	}
	st.wait(validity+5*time.Second, "the session has ended at each edge", func() bool {
		status, _ := b.me(t.Context(), st.edges[1])
		return status == http.StatusUnauthorized
	})
	t.Logf("it took %v", time.Since(out).Round(100*time.Millisecond))
}

func twoPortalhubs(t *testing.T) func(cfg *shape.Config) {
	return func(cfg *shape.Config) { cfg.Hubs["portalhub"] = shapetest.Addresses(t, 2) }
}

// again starts replicas again that have ended.
func (st *stage) again(names ...string) {
	st.t.Helper()
	for _, name := range names {
		if err := st.Restart(st.t.Context(), name); err != nil {
			st.t.Fatal(err)
		}
	}
}

func (st *stage) signal(sig syscall.Signal, names ...string) {
	st.t.Helper()
	for _, name := range names {
		if err := st.Replica(name).Signal(sig); err != nil {
			st.t.Fatal(err)
		}
	}
}
