package chaos

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/test/shape"
	"example.com/hub/test/shape/shapetest"
)

const (
	// found is how long a new replica may be without calls, and recovered how long calls may fail after the
	// database is back.
	found     = 5 * time.Second
	recovered = 2 * time.Second
	// age is that of connections, 150 times shorter than it is by default.
	age = "2s"
)

// As in a cluster, the edges know messagehub by its name, which leads to the replicas that are ready. An
// outage of the database lasts for so long that no connection is left at its end.
func TestAnOutageIsOverWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	demand(t, named(t, built))
}

func TestAnOutageLastsWhenAddressesAreForgotten(t *testing.T) {
	t.Parallel()
	bin := mutant(t, mutation{
		binaries: []string{"edge"},
		file:     "services/edge/internal/replicas/watch.go",
		old:      "if !w.unanswered {",
		new: "if len(w.known) > 0 {\nw.told = nil\n_ = w.cc.UpdateState(resolver.State{})\n" +
			"<-time.After(20*time.Second)\n}\nif !w.unanswered {",
	})
	demandFaults(t, named(t, bin), "calls failed")
}

// cluster is replicas of messagehub behind a name.
type cluster struct {
	replicas []*backend
	// deployed is how many of them there are.
	deployed atomic.Int32
	names    *nameServer
}

// hosts are the addresses of the replicas that are ready.
func (c *cluster) hosts() []netip.Addr {
	var all []netip.Addr
	for _, r := range c.replicas[:c.deployed.Load()] {
		if r.ready.Load() {
			all = append(all, netip.MustParseAddrPort(r.address.Public).Addr())
		}
	}
	return all
}

// place gives the replicas addresses that differ but for the port, and the edges their name.
func (c *cluster) place(t *testing.T, cfg *shape.Config) {
	t.Helper()
	var err error
	if c.names, err = newNameServer(t.Context(), c.hosts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.names.stop)
	_, port, err := net.SplitHostPort(shapetest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range cfg.Hubs["messagehub"] {
		a, replica := &cfg.Hubs["messagehub"][i], fmt.Sprintf("messagehub-%d", i+1)
		a.Public = fmt.Sprintf("127.0.0.%d:%s", i+1, port)
		cfg.Own[replica] = append(cfg.Own[replica], "HUB_MAX_CONNECTION_AGE="+age)
		c.replicas = append(c.replicas, &backend{address: *a})
	}
	for i := range cfg.Edges {
		edge := fmt.Sprintf("edge-%d", i+1)
		cfg.Own[edge] = append(cfg.Own[edge], "HUB_MESSAGEHUB_TARGET="+c.names.target("messagehub.hub.test", port))
	}
}

func named(t *testing.T, bin string) (faults []string) {
	c := &cluster{}
	c.deployed.Store(2)
	st := set(t, setting{bin: bin, hubs: 3, shape: func(cfg *shape.Config) { c.place(t, cfg) }})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	for _, r := range c.replicas {
		go r.watch(ctx)
	}
	for _, p := range st.portals() {
		go st.ask(ctx, p)
	}
	st.wait(10*time.Second, "calls are answered", st.answering())

	begin := time.Now()
	c.deployed.Store(3)
	if !st.comes(found, func() bool { return served(st.t, c.replicas[2].address) }) {
		faults = append(faults, fmt.Sprintf("a new replica got no call within %v", found))
	}
	t.Logf("a new replica got calls after %v", time.Since(begin).Round(time.Millisecond))

	st.Postgres.Stop()
	st.wait(20*time.Second, "no replica is ready", func() bool { return len(c.hosts()) == 0 })
	st.rest(size(15*time.Second, 60*time.Second))
	// Right after a lookup the next one is as far away as it can be.
	asked := c.names.asked.Load()
	st.wait(2*time.Minute, "the name is looked up", func() bool { return c.names.asked.Load() > asked })
	if err := st.Postgres.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	over := time.Now()
	st.wait(20*time.Second, "every replica is ready", func() bool { return len(c.hosts()) == 3 })
	st.wait(2*time.Minute, "calls are answered", st.answering())
	return append(faults, st.failedAfter(over)...)
}

// ask makes a call at a time until ctx ends.
func (st *stage) ask(ctx context.Context, p *portal) {
	for lifecycle.Sleep(ctx, 20*time.Millisecond) {
		sent := time.Now()
		if _, err := p.inbox(ctx, "amy"); err != nil {
			st.ledger.failed(err)
			continue
		}
		st.ledger.answered(deed{sent: sent, answered: time.Now()})
	}
}

// failedAfter tells of calls that failed although the outage was over.
func (st *stage) failedAfter(over time.Time) (faults []string) {
	_, failures := st.ledger.all()
	late := 0
	var last failure
	for _, f := range failures {
		if f.at.After(over.Add(recovered)) {
			late++
		}
		last = f
	}
	after := last.at.Sub(over).Round(time.Millisecond)
	st.t.Logf("%d calls failed, the last one %v after the database was back", len(failures), after)
	if late > 0 {
		faults = append(faults, fmt.Sprintf("%d calls failed later than %v after the database was back, the last one after %v with %v",
			late, recovered, after, last.err))
	}
	return faults
}

// served tells whether a replica answered a call.
func served(t *testing.T, hub shape.Address) bool {
	t.Helper()
	for labels, n := range counters(t, hub, "hub_grpc_requests_total") {
		if n > 0 && strings.HasPrefix(labels, `code="OK",method="/hub.message.v1.`) {
			return true
		}
	}
	return false
}

// counters gives those of a metric by their labels.
func counters(t *testing.T, at shape.Address, metric string) map[string]int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at.Admin+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(body)) {
		labels, value, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), metric+"{"), "} ")
		if n, err := strconv.Atoi(value); found && err == nil && strings.HasPrefix(line, metric) {
			counts[labels] = n
		}
	}
	return counts
}
