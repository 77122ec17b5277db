package replicas

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/tunnel"
)

// replica is one process of a hub.
type replica struct {
	address string
	// stop ends its probes, and lets no more calls into its tunnel.
	stop context.CancelFunc
	// reads counts what came from it over the connections of calls.
	reads atomic.Uint64
	// tunnel is nil while there is none that takes calls.
	tunnel atomic.Pointer[tunnel.Client]

	mu          sync.Mutex
	connections map[*connection]struct{}

	// state and out, whether it gets no calls, belong to the watch.
	state state
	out   bool
}

// state is what is known of a replica.
type state int

const (
	// unknown was not asked yet, or could not be reached: connections to it break by themselves, and gRPC
	// makes new ones.
	unknown state = iota
	// answering said something, be it that its database is away: then it answers calls at once, too.
	answering
	// silent said nothing: its process hangs, or its machine is lost.
	silent
)

// prober asks one replica whether it answers.
type prober struct {
	replica *replica
	// authority is the name that the replica's certificate must have.
	authority   string
	credentials credentials.TransportCredentials
	// limit is how long an answer may take.
	limit time.Duration
	// conn is nil before the first question, and after one without an answer: over the old connection a
	// machine that was lost would be heard late.
	conn *grpc.ClientConn
}

// run asks at once and then at every interval until ctx ends.
func (p *prober) run(ctx context.Context, report func(state)) {
	tick := time.NewTicker(p.limit)
	defer tick.Stop()
	defer p.hangUp()
	for {
		found := p.ask(ctx)
		if ctx.Err() != nil {
			return
		}
		report(found)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (p *prober) ask(ctx context.Context) state {
	if err := p.dial(); err != nil {
		return unknown
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	before := p.replica.reads.Load()
	_, err := healthpb.NewHealthClient(p.conn).Check(ctx, &healthpb.HealthCheckRequest{})
	switch status.Code(err) {
	case codes.Unavailable:
		p.hangUp()
		return unknown
	case codes.DeadlineExceeded:
		p.hangUp()
		if p.replica.reads.Load() != before {
			return answering // It is busy: it answers calls. To cut them off would only add to its work.
		}
		return silent
	default:
		return answering
	}
}

func (p *prober) dial() (err error) {
	if p.conn != nil {
		return nil
	}
	address := manual.NewBuilderWithScheme(listScheme)
	address.InitialState(resolver.State{Addresses: []resolver.Address{{Addr: p.replica.address}}})
	p.conn, err = grpc.NewClient(listScheme+":///hub",
		grpc.WithResolvers(address),
		grpc.WithAuthority(p.authority),
		grpc.WithTransportCredentials(p.credentials),
		grpc.WithDisableServiceConfig(),
	)
	return err
}

func (p *prober) hangUp() {
	if p.conn != nil {
		_ = p.conn.Close()
		p.conn = nil
	}
}
