// Package replicas tells gRPC which replicas of a hub there are, and keeps calls away from those that do
// not answer.
//
// It is a resolver and the credentials of one gRPC connection. The resolver looks a name up every few
// seconds and keeps what it knows while DNS has no answer. It asks each replica every second for its
// health, over a connection of its own: the connections of calls have a limit of calls at once, behind
// which a question would wait as long as a slow database takes. A replica that does not answer is left out
// of what gRPC is told, and the credentials, which see each connection, close those to it, so that gRPC
// repeats its calls elsewhere.
//
// Beside that connection it keeps a tunnel to each replica, through which a Conn makes its unary calls.
package replicas

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/tunnel"
)

// Config are the settings of all hubs that an edge calls.
type Config struct {
	LookupInterval time.Duration `env:"HUB_HUBS_LOOKUP_INTERVAL" envDefault:"3s" help:"how often the replicas of the hubs are looked up in DNS, more than 0"`
	ProbeInterval  time.Duration `env:"HUB_HUBS_PROBE_INTERVAL" envDefault:"1s" help:"how often each replica of the hubs is asked whether it answers, and how long that may take, at least 100ms"`
}

// leastProbe is the shortest interval of probes. Below, a busy machine looks like a hung one.
const leastProbe = 100 * time.Millisecond

// Validate checks the ranges.
func (c Config) Validate() error {
	var faults []error
	if c.LookupInterval <= 0 {
		faults = append(faults, fmt.Errorf("HUB_HUBS_LOOKUP_INTERVAL: must be more than 0, not %s", c.LookupInterval))
	}
	if c.ProbeInterval < leastProbe {
		faults = append(faults, fmt.Errorf("HUB_HUBS_PROBE_INTERVAL: must be at least %s, not %s", leastProbe, c.ProbeInterval))
	}
	return errors.Join(faults...)
}

// Deps is what a Set is made of.
type Deps struct {
	// Config must be valid.
	Config Config
	// Target is a gRPC target, or addresses separated by commas.
	Target string
	// ServerName is the name that the certificates must have; empty is the host of Target, or of each
	// address.
	ServerName string
	// Credentials are those of all connections.
	Credentials credentials.TransportCredentials
	Tunnels     Tunnels
	Logger      *slog.Logger
}

// Set is the replicas of one hub, for one gRPC connection. It works for targets of the scheme dns, which
// is also that of a target without one, and for lists of addresses. Targets of other schemes name one
// server; they are left to gRPC.
type Set struct {
	deps Deps
	// list are the addresses of a target that is a list.
	list []string
	// use are the replicas that get calls, and turn counts the calls.
	use  atomic.Pointer[[]*replica]
	turn atomic.Uint64

	in, out, takenOut, lookupFailures atomic.Uint64
	// tunnels is how many take calls now, refusing how many replicas take none.
	tunnels, refusing atomic.Int64
	tunnelled         tunnel.Counts
}

// New makes a Set.
func New(d Deps) *Set {
	s := &Set{deps: d}
	if addresses := strings.Split(d.Target, ","); len(addresses) > 1 {
		for _, a := range addresses {
			s.list = append(s.list, strings.TrimSpace(a))
		}
		slices.Sort(s.list)
		s.list = slices.Compact(s.list)
	}
	return s
}

// listScheme is the scheme of targets that are lists. gRPC knows none for host names.
const listScheme = "replicas"

// Target is what the gRPC connection is made to.
func (s *Set) Target() string {
	if s.list != nil {
		return listScheme + ":///hub"
	}
	return s.deps.Target
}

// Options are those of the gRPC connection. It must spread calls with round_robin.
func (s *Set) Options() []grpc.DialOption {
	options := []grpc.DialOption{
		grpc.WithResolvers(s),
		grpc.WithTransportCredentials(watched{s.deps.Credentials}),
		grpc.WithChainUnaryInterceptor(repeat),
		// An idle connection would forget the replicas, and look them up with the first call.
		grpc.WithIdleTimeout(0),
	}
	if s.deps.ServerName != "" {
		options = append(options, grpc.WithAuthority(s.deps.ServerName))
	}
	return options
}

// Stats are numbers for metrics.
type Stats struct {
	// In is the replicas that get calls, Out is those that do not answer while others do.
	In, Out uint64
	// TakenOut counts how often a replica was taken out.
	TakenOut uint64
	// LookupFailures counts lookups in DNS that failed or found nothing.
	LookupFailures uint64
	// Tunnels is those that take calls now.
	Tunnels uint64
	// TunnelCalls counts the calls that went through tunnels, in TunnelMessages.
	TunnelCalls, TunnelMessages uint64
}

// Stats gives the present numbers.
func (s *Set) Stats() Stats {
	return Stats{
		In: s.in.Load(), Out: s.out.Load(), TakenOut: s.takenOut.Load(), LookupFailures: s.lookupFailures.Load(),
		Tunnels:     uint64(s.tunnels.Load()), //nolint:gosec // never less than 0
		TunnelCalls: s.tunnelled.Calls.Load(), TunnelMessages: s.tunnelled.Messages.Load(),
	}
}

// Measure adds the metrics of the replicas of an area, todo or message.
func (s *Set) Measure(r *telemetry.Registry, area string) {
	const (
		replicas = "hub_edge_replicas"
		help     = "Replicas of a hub that the edge knows, by whether they get calls; out are those that do not answer while others do."
	)
	telemetry.Read(
		r, s.Stats,
		telemetry.Gauge(replicas, help, func(s Stats) uint64 { return s.In }, "area", area, "state", "in"),
		telemetry.Gauge(replicas, help, func(s Stats) uint64 { return s.Out }, "area", area, "state", "out"),
		telemetry.Counter("hub_edge_replicas_taken_out_total", "Replicas of a hub that stopped answering and get no calls until they answer.",
			func(s Stats) uint64 { return s.TakenOut }, "area", area),
		telemetry.Counter("hub_edge_lookup_failures_total", "Lookups of a hub in DNS that failed or found no replica; the last ones are kept.",
			func(s Stats) uint64 { return s.LookupFailures }, "area", area),
		telemetry.Gauge("hub_edge_tunnels", "Replicas of a hub that take calls through a tunnel, in which calls share messages.",
			func(s Stats) uint64 { return s.Tunnels }, "area", area),
		telemetry.Counter("hub_edge_tunnel_calls_total", "Calls that went to a hub through a tunnel.",
			func(s Stats) uint64 { return s.TunnelCalls }, "area", area),
		telemetry.Counter("hub_edge_tunnel_messages_total", "Messages in which calls went to a hub through a tunnel.",
			func(s Stats) uint64 { return s.TunnelMessages }, "area", area),
	)
}
