package replicas

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/resolver"

	"example.com/hub/pkg/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// channel is what gRPC is told.
type channel struct {
	resolver.ClientConn
	told   [][]string
	states []resolver.State
	errors []error
}

func (c *channel) UpdateState(s resolver.State) error {
	var addresses []string
	for _, e := range s.Endpoints {
		addresses = append(addresses, e.Addresses[0].Addr)
	}
	c.told, c.states = append(c.told, addresses), append(c.states, s)
	return nil
}

func (c *channel) ReportError(err error) { c.errors = append(c.errors, err) }

// watching gives a watch that looks nothing up, and a context in which it asks no replica.
func watching(t *testing.T) (*watch, *channel, context.Context) {
	t.Helper()
	c := &channel{}
	s := New(Deps{
		Config: Config{LookupInterval: time.Hour, ProbeInterval: time.Hour}, Target: "dns:///hub.test:1",
		Credentials: insecure.NewCredentials(), Logger: slog.New(slog.DiscardHandler),
	})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	w := &watch{set: s, cc: c, authority: "hub.test:1", cancel: cancel}
	t.Cleanup(w.Close)
	return w, c, over
}

var errAway = errors.New("DNS is away")

// TestReplicasAreKeptWhileDNSHasNone has lookups that fail, and gives no news to gRPC until there are some.
func TestReplicasAreKeptWhileDNSHasNone(t *testing.T) {
	w, c, over := watching(t)
	w.found(over, []string{"127.0.0.1:1", "127.0.0.2:1"}, nil)
	for range 3 {
		w.found(over, nil, errAway)
	}
	w.found(over, []string{"127.0.0.2:1", "127.0.0.3:1"}, nil)
	want := [][]string{{"127.0.0.1:1", "127.0.0.2:1"}, {"127.0.0.2:1", "127.0.0.3:1"}}
	if diff := cmp.Diff(want, c.told); diff != "" {
		t.Error(diff)
	}
	if before, after := c.states[0].Endpoints[1].Addresses[0], c.states[1].Endpoints[0].Addresses[0]; !before.Equal(after) {
		t.Error("a replica that stays is a new one to gRPC, which would connect again")
	}
	if len(c.errors) > 0 {
		t.Errorf("gRPC was told of %v", c.errors)
	}
	if got := w.set.Stats(); got.LookupFailures != 3 || got.In != 2 || got.Out != 0 {
		t.Errorf("the numbers are %+v", got)
	}
}

func TestCallersLearnThatNoReplicaIsKnown(t *testing.T) {
	w, c, over := watching(t)
	w.found(over, nil, errAway)
	if len(c.errors) != 1 || !errors.Is(c.errors[0], errAway) || !strings.Contains(c.errors[0].Error(), "dns:///hub.test:1") {
		t.Errorf("gRPC was told of %v", c.errors)
	}
}

// TestASilentReplicaStaysOutUntilItAnswers has states of replicas in the order of their change.
func TestASilentReplicaStaysOutUntilItAnswers(t *testing.T) {
	w, c, over := watching(t)
	w.found(over, []string{"127.0.0.1:1", "127.0.0.2:1"}, nil)
	one, two := w.known[0], w.known[1]
	both, second := []string{"127.0.0.1:1", "127.0.0.2:1"}, []string{"127.0.0.2:1"}
	for i, step := range []struct {
		of    *replica
		found state
		want  []string
	}{
		{one, silent, both},    // nobody is known to answer
		{two, answering, both}, // both may be back
		{one, silent, second},
		{one, unknown, second}, // it was killed
		{one, silent, second},  // it hangs in its start
		{two, silent, both},    // nobody answers any more
		{two, unknown, both},   // nor now
		{one, answering, both},
		{two, silent, []string{"127.0.0.1:1"}},
		{two, answering, both},
		{two, unknown, both}, // gRPC connects to it again by itself
	} {
		w.probed(t.Context(), step.of, step.found)
		if got := c.told[len(c.told)-1]; !slices.Equal(got, step.want) {
			t.Fatalf("after step %d calls go to %v, want %v", i, got, step.want)
		}
	}
	if got := w.set.Stats().TakenOut; got != 2 {
		t.Errorf("%d were taken out, want 2", got)
	}

	w.probed(t.Context(), two, answering)
	w.probed(t.Context(), one, silent)
	w.found(over, []string{"127.0.0.1:1"}, nil) // the one that answers goes for good
	if got, want := c.told[len(c.told)-1], []string{"127.0.0.1:1"}; !slices.Equal(got, want) {
		t.Errorf("when the last that answers left DNS, calls go to %v, want %v", got, want)
	}
}

func TestParse(t *testing.T) {
	for target, want := range map[string][2]string{
		"dns:///todohub:9090":              {"todohub", "9090"},
		"dns:///todohub":                   {"todohub", "443"},
		"dns:///:9090":                     {"localhost", "9090"},
		"dns:///10.0.0.1":                  {"10.0.0.1", "443"},
		"dns:///[::1]:9090":                {"::1", "9090"},
		"dns:///[::1]":                     {"::1", "443"},
		"dns://10.0.0.10/todohub:9090":     {"todohub", "9090"},
		"dns://10.0.0.10:533/todohub:9090": {"todohub", "9090"},
		"dns:///":                          {},
		"dns:///todohub:":                  {},
		"dns:///a:b:c":                     {},
		"dns://10.0.0.10:/todohub:9090":    {},
	} {
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		n, err := parse(resolver.Target{URL: *u})
		if want == [2]string{} {
			if err == nil {
				t.Errorf("%s is %s and %s", target, n.host, n.port)
			}
			continue
		}
		if err != nil || n.host != want[0] || n.port != want[1] {
			t.Errorf("%s is %s and %s, %v", target, n.host, n.port, err)
		}
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	var c Config
	err := config.Load(&c, []string{"HUB_HUBS_LOOKUP_INTERVAL=0s", "HUB_HUBS_PROBE_INTERVAL=99ms"})
	for _, name := range []string{"HUB_HUBS_LOOKUP_INTERVAL", "HUB_HUBS_PROBE_INTERVAL"} {
		if err == nil || !strings.Contains(err.Error(), name+": must be ") {
			t.Errorf("%v does not name %s", err, name)
		}
	}
	if err := config.Load(&c, nil); err != nil || c != (Config{LookupInterval: 3 * time.Second, ProbeInterval: time.Second}) {
		t.Errorf("the defaults are %+v, %v", c, err)
	}
}
