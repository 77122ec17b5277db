package chaos

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/test/server"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

// stage is a Hub that runs until the test is over, with its users and what was answered to them.
type stage struct {
	*shape.Shape
	t      *testing.T
	edges  []shape.Address
	hubs   map[string][]shape.Address
	log    *tape
	ledger *ledger
	tabs   map[string]*tab
	// networks are the proxies between the replicas and Redis, by replica.
	networks map[string]*proxy
}

// setting says how a stage is set.
type setting struct {
	// bin is the folder of the binaries; empty is that of Hub as it is.
	bin string
	// edges and hubs are the numbers of replicas, of edges and of messagehubs; 2 unless set.
	edges, hubs int
	// home is a folder with a PostgreSQL that has data; empty is a new one.
	home string
	// logins are the roles of PostgreSQL that the hubs log in as, by hub; without one it is the superuser.
	logins map[string]string
	// environ are settings for every replica.
	environ []string
	// shape changes what is started; nil leaves it.
	shape func(*shape.Config)
	// answers is what the proxies of Redis do with its answers to a replica.
	answers func(replica string) func(channel string) (lose bool)
}

// set starts a stage.
func set(t *testing.T, s setting) *stage {
	t.Helper()
	if s.home == "" {
		s.home = shapetest.Home(t)
	}
	if s.bin == "" {
		s.bin = built
	}
	st := &stage{
		t: t, log: &tape{}, ledger: newLedger(), tabs: map[string]*tab{}, networks: map[string]*proxy{},
	}
	cfg := shape.Config{
		Bin: s.bin, Home: s.home, Out: st.log,
		Edges:  shapetest.Addresses(t, max(s.edges, 2)),
		Hubs:   shape.EachHub(func() []shape.Address { return shapetest.Addresses(t, 1) }),
		Logins: s.logins,
		// A machine that is busy with other tests is no fault that is tested here.
		Environ: append([]string{"HUB_LOG_LEVEL=warn", "HUB_DATABASE_ACQUIRE_TIMEOUT=5s"}, s.environ...),
		Own:     map[string][]string{},
	}
	cfg.Hubs["messagehub"] = shapetest.Addresses(t, max(s.hubs, 2))
	st.edges = cfg.Edges
	for i := range cfg.Edges {
		st.network(&cfg, fmt.Sprintf("edge-%d", i+1), s)
	}
	for _, hub := range []string{"messagehub", "todohub"} {
		for i := range cfg.Hubs[hub] {
			st.network(&cfg, fmt.Sprintf("%s-%d", hub, i+1), s)
		}
	}
	if s.shape != nil {
		s.shape(&cfg)
	}
	st.hubs = cfg.Hubs
	var err error
	if st.Shape, err = shape.Start(t.Context(), cfg, server.Volatile); err != nil {
		t.Fatalf("%v\n%s", err, st.log)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the replicas wrote:\n%s", st.log)
		}
		for _, network := range st.networks {
			network.heal() // so that nobody waits for Redis
		}
		st.Stop()
	})
	return st
}

// network puts a proxy between a replica and Redis.
func (st *stage) network(cfg *shape.Config, replica string, s setting) {
	st.t.Helper()
	var p *proxy
	var err error
	if s.answers != nil {
		p, err = newProxy(st.t.Context(), "unix", server.RedisSocket(s.home), losing(s.answers(replica)))
	} else {
		p, err = newProxy(st.t.Context(), "unix", server.RedisSocket(s.home), nil)
	}
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(p.stop)
	st.networks[replica] = p
	cfg.Own[replica] = []string{"HUB_REDIS_URL=redis://" + p.address()}
}

// portal makes calls through an address.
func (st *stage) portal(address string) *portal {
	st.t.Helper()
	return st.portalOf(address, "erp")
}

// portalOf is portal for a client.
func (st *stage) portalOf(address, client string) *portal {
	st.t.Helper()
	p, err := newPortal(st.t.Context(), address, client)
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(p.client.CloseIdleConnections)
	return p
}

// portals are one through each edge.
func (st *stage) portals() []*portal {
	st.t.Helper()
	var all []*portal
	for _, edge := range st.edges {
		all = append(all, st.portal(edge.Public))
	}
	return all
}

// users are n names.
func users(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("user-%d", i)
	}
	return all
}

// open gives each user a tab, through the portals in turns, and a first message, so that each tab has
// a last event id. The tabs are open until the test is over.
func (st *stage) open(names []string, portals ...*portal) {
	st.t.Helper()
	st.openTabs(names, portals...)
	const most = 100
	l := load{portals: portals, ledger: st.ledger}
	for i := 0; i < len(names); i += most {
		d := deed{kind: "message", id: fmt.Sprintf("first-%d", i), users: names[i:min(i+most, len(names))]}
		p := portals[i%len(portals)]
		if !l.insist(st.t.Context(), d, func(ctx context.Context) error { return p.push(ctx, d.id, d.users) }) {
			st.t.Fatal("the first messages are not taken")
		}
	}
	st.settled(30 * time.Second)
}

// openTabs gives each user a tab, through the portals in turns, until the test is over.
func (st *stage) openTabs(names []string, portals ...*portal) {
	st.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(st.t.Context()))
	var running sync.WaitGroup
	st.t.Cleanup(func() { cancel(); running.Wait() })
	for i, name := range names {
		t := newTab(name, portals[i%len(portals)])
		st.tabs[name] = t
		running.Go(func() { t.run(ctx) })
	}
	st.wait(30*time.Second, "every stream is open", func() bool {
		for _, t := range st.tabs {
			if !t.isOpen() {
				return false
			}
		}
		return true
	})
}

// wait waits until something is so.
func (st *stage) wait(limit time.Duration, what string, so func() bool) {
	st.t.Helper()
	if !st.comes(limit, so) {
		st.t.Fatalf("after %v it is not so that %s", limit, what)
	}
}

// comes tells whether something is so within a while.
func (st *stage) comes(limit time.Duration, so func() bool) bool {
	ctx, cancel := context.WithTimeout(st.t.Context(), limit)
	defer cancel()
	for !so() {
		if !lifecycle.Sleep(ctx, 20*time.Millisecond) {
			return so()
		}
	}
	return true
}

// settled tells whether there is a moment within a while at which all that was answered is seen. It
// compares numbers, so calls may go on.
func (st *stage) settled(limit time.Duration) bool {
	return st.comes(limit, func() bool {
		for user, kinds := range st.ledger.debt() {
			for kind, n := range kinds {
				if t := st.tabs[user]; t != nil && t.count(kind) < n {
					return false
				}
			}
		}
		return true
	})
}

// pushing runs calls until the returned stop is called, which waits until every call is over.
func (st *stage) pushing(calls interface{ run(ctx context.Context) }) (stop func()) {
	ctx, cancel := context.WithCancel(st.t.Context())
	done := make(chan struct{})
	go func() { defer close(done); calls.run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	st.t.Cleanup(stop)
	return stop
}

// rest lets time pass, for what has no sign of its own.
func (st *stage) rest(d time.Duration) {
	st.t.Helper()
	if !lifecycle.Sleep(st.t.Context(), d) {
		st.t.Fatal("the time of the test is over")
	}
}

// verdict compares what was answered with what was seen. Events that are still missing have some time
// to come, and are then late.
func (st *stage) verdict(p *portal, kept promise) finding {
	st.t.Helper()
	deeds, _ := st.ledger.all()
	inboxes := st.inboxes(p)
	found := check(deeds, st.tabs, inboxes, kept)
	for range 10 {
		if len(found.lost) == 0 {
			break
		}
		st.rest(time.Second)
		found = check(deeds, st.tabs, inboxes, kept)
	}
	return found
}

// inboxes fetches those of all users.
func (st *stage) inboxes(p *portal) map[string]map[string]string {
	st.t.Helper()
	var mu sync.Mutex
	var fetching sync.WaitGroup
	inboxes := map[string]map[string]string{}
	places := make(chan struct{}, 8)
	var fault error
	for user := range st.tabs {
		fetching.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			inbox, err := p.inbox(st.t.Context(), user)
			mu.Lock()
			defer mu.Unlock()
			inboxes[user] = inbox
			if err != nil {
				fault = err
			}
		})
	}
	fetching.Wait()
	if fault != nil {
		st.t.Fatal(fault)
	}
	return inboxes
}

// demand fails the test for each fault.
func demand(t *testing.T, faults []string) {
	t.Helper()
	for _, fault := range faults {
		t.Error(fault)
	}
}

// demandFaults fails the test when a mutant shows no fault that says what is expected.
func demandFaults(t *testing.T, faults []string, expected ...string) {
	t.Helper()
	t.Logf("the mutant's faults: %q", faults)
	for _, fault := range faults {
		for _, text := range expected {
			if strings.Contains(fault, text) {
				return
			}
		}
	}
	t.Errorf("no fault says any of %q", expected)
}
