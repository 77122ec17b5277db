package chaos

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// throngTime is how long some calls may take on a busy machine.
const throngTime = 30 * time.Second

// owned has todos belong to the client that created them.
const owned = "HUB_TODO_OWNERSHIP=source"

// blow is something that ends writes in the middle.
type blow struct {
	name string
	fall func(st *stage)
}

func blows() []blow {
	killed := func(replica string) blow {
		return blow{replica + " killed", func(st *stage) {
			st.Replica(replica).Kill()
			st.again(replica)
		}}
	}
	stopped := func(replica string) blow {
		return blow{replica + " stopped", func(st *stage) {
			st.Replica(replica).Stop()
			st.again(replica)
		}}
	}
	return []blow{
		{"connections to PostgreSQL cut", func(st *stage) {
			st.query("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
		}},
		{"PostgreSQL killed", func(st *stage) {
			st.Postgres.Stop() // at once, so that it has to recover
			if err := st.Postgres.Restart(st.t.Context()); err != nil {
				st.t.Fatal(err)
			}
		}},
		killed("todohub-1"), killed("messagehub-1"), stopped("todohub-2"), stopped("messagehub-2"),
	}
}

// Many callers write at once, and share statements and commits. Whatever ends in the middle, each of them has an
// answer of its own that is true.
func TestCallersAtOnceHaveTheirOwnTrueOutcomes(t *testing.T) {
	t.Parallel()
	demand(t, throngAt(t, built, size(1, 20), blows()))
}

func TestCallersAtOnceHaveOutcomesOfOthersIfTheyAreSwapped(t *testing.T) {
	t.Parallel()
	demandFaults(t, throngAt(t, mutant(t, swapped), 1, nil), "was answered with {ID:")
}

// swapped gives each call of a shared statement the outcome of another one.
var swapped = mutation{
	binaries: []string{"todohub", "messagehub", "hub"},
	file:     "pkg/store/trip/trip.go",
	old:      "c.settle(outcomes[i])",
	new:      "c.settle(outcomes[len(outcomes)-1-i])",
}

func throngAt(t *testing.T, bin string, times int, all []blow) (faults []string) {
	st := set(t, setting{bin: bin, environ: []string{owned}, shape: func(cfg *shape.Config) {
		cfg.Hubs["todohub"] = append(cfg.Hubs["todohub"], shapetest.Addresses(t, 1)...)
	}})
	portals := st.portals()
	st.openTabs(users(40), portals...)
	th := newThrong(st, st.edges[0].Public, st.edges[1].Public)
	stop := st.pushing(th)
	st.wait(throngTime, "calls are answered", th.answering(size(500, 1000)))
	th.witness.rouse()
	for range times {
		for _, b := range all {
			b.fall(st)
			st.wait(throngTime, "calls are answered after "+b.name, th.answering(size(250, 500)))
		}
	}
	stop()
	faults = th.faults(t)
	found := st.verdict(portals[0], promise{within: throngTime, repeats: times * len(all)})
	t.Logf("%d blows: %v", times*len(all), found)
	return slices.Concat(faults, found.faults(), st.shared())
}

// The same with SQLite: the one process is killed in the middle of its commits.
func TestCallersAtOnceLoseNothingWhenTheOneProcessIsKilled(t *testing.T) {
	t.Parallel()
	demand(t, throngAtHub(t, built, size(3, 50)))
}

func TestCallersAtOnceHaveOutcomesOfOthersIfTheOneProcessSwapsThem(t *testing.T) {
	t.Parallel()
	demandFaults(t, throngAtHub(t, mutant(t, swapped), 1), "was answered with {ID:")
}

func throngAtHub(t *testing.T, bin string, times int) (faults []string) {
	st := &stage{t: t, log: &tape{}, ledger: newLedger()}
	data, at := t.TempDir(), shapetest.Addresses(t, 1)[0]
	var hub *shape.Replica
	begin := func() {
		began, err := shape.StartHub(t.Context(), bin, data, at, st.log, owned, "HUB_DEMO_DATA=false", "HUB_LOG_LEVEL=error")
		if err != nil {
			t.Fatalf("%v\n%s", err, st.log)
		}
		hub = began
	}
	begin()
	t.Cleanup(func() { hub.Stop() })
	th := newThrong(st, at.Public)
	stop := st.pushing(th)
	st.wait(throngTime, "calls are answered", th.answering(size(500, 1000)))
	th.witness.rouse()
	for range times {
		hub.Kill()
		begin()
		st.wait(throngTime, "calls are answered", th.answering(size(250, 500)))
	}
	stop()
	return th.faults(t)
}

// newThrong gives callers of two clients that reach Hub at these addresses, and makes the todos that they share.
func newThrong(st *stage, addresses ...string) *throng {
	st.t.Helper()
	th := &throng{
		portals: map[string][]*portal{}, users: users(40), witness: newWitness(), ledger: st.ledger,
		wave: size(250*time.Millisecond, 0), // other tests want the machine, too
	}
	for _, address := range addresses {
		for _, client := range []string{"erp", "portal"} {
			th.portals[client] = append(th.portals[client], st.portalOf(address, client))
		}
	}
	for n := range int64(sharedTodos) {
		u := th.witness.seeded(th.shared(n))
		if err := th.as(u.source).succeed(st.t.Context(), "/todo-hub/todos", u.body()); err != nil {
			st.t.Fatal(err)
		}
	}
	return th
}

// shared demands that calls shared statements, without which the test says nothing.
func (st *stage) shared() (faults []string) {
	st.t.Helper()
	calls := map[string]int{}
	for _, at := range slices.Concat(st.hubs["todohub"], st.hubs["messagehub"]) {
		for statement, n := range counters(st.t, at, "hub_database_shared_calls_total") {
			calls[statement] += n
		}
	}
	st.t.Logf("calls that shared statements, since each hub began: %v", calls)
	if len(calls) == 0 {
		faults = append(faults, "the test is void: no hub counts calls that share statements")
	}
	for statement, n := range calls {
		if n < 20 {
			faults = append(faults, fmt.Sprintf("the test is void: %d calls shared a %s", n, statement))
		}
	}
	return faults
}

// faults compares what the callers were told with what is stored.
func (th *throng) faults(t *testing.T) []string {
	t.Helper()
	var fetching errgroup.Group
	fetching.SetLimit(8)
	for _, user := range th.users {
		fetching.Go(func() error {
			items, err := th.as("erp").todos(t.Context(), user)
			if err != nil {
				return err
			}
			records, err := th.as("erp").records(t.Context(), user)
			if err != nil {
				return err
			}
			th.witness.todoFaults(user, items)
			th.witness.messageFaults(user, records)
			return nil
		})
	}
	if err := fetching.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d todos, %d messages; %v", len(th.witness.todos), len(th.witness.messages), th.witness.counts)
	return th.witness.wrong[:min(len(th.witness.wrong), 20)]
}

// answering waits for some more answers.
func (th *throng) answering(more int) func() bool {
	before := th.witness.answers()
	return func() bool { return th.witness.answers() >= before+more }
}
