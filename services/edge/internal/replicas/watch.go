package replicas

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/attributes"
	"google.golang.org/grpc/resolver"
)

// Scheme implements resolver.Builder.
func (s *Set) Scheme() string {
	if s.list != nil {
		return listScheme
	}
	return "dns"
}

// Build implements resolver.Builder.
func (s *Set) Build(target resolver.Target, cc resolver.ClientConn, opts resolver.BuildOptions) (resolver.Resolver, error) {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watch{set: s, cc: cc, authority: s.deps.ServerName, cancel: cancel}
	if s.list != nil {
		w.found(ctx, s.list, nil)
		return w, nil
	}
	n, err := parse(target)
	if err != nil {
		cancel()
		return nil, err
	}
	w.authority = opts.Authority
	w.running.Go(func() { w.lookUp(ctx, n) })
	return w, nil
}

// watch is a resolver.Resolver: it knows the replicas, and tells gRPC of those that should get calls.
type watch struct {
	set *Set
	cc  resolver.ClientConn
	// authority is the name in the certificates of all replicas; empty is the address of each.
	authority string
	cancel    context.CancelFunc
	running   sync.WaitGroup

	mu sync.Mutex
	// known are all replicas, told are those that gRPC knows, in the same order.
	known, told []*replica
	// unanswered is while lookups fail.
	unanswered bool
}

// ResolveNow implements resolver.Resolver. The next lookup is near.
func (*watch) ResolveNow(resolver.ResolveNowOptions) {}

// Close implements resolver.Resolver.
func (w *watch) Close() {
	w.cancel()
	w.running.Wait()
}

// lookUp asks DNS at every interval until ctx ends.
func (w *watch) lookUp(ctx context.Context, n name) {
	tick := time.NewTicker(w.set.deps.Config.LookupInterval)
	defer tick.Stop()
	for {
		addresses, err := n.lookup(ctx)
		if ctx.Err() != nil {
			return
		}
		w.found(ctx, addresses, err)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// found takes the result of a lookup. A name without an address is no news: replicas that are not ready
// are not in DNS, and when the database is away, none is.
func (w *watch) found(ctx context.Context, addresses []string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.notFound(ctx, err)
		return
	}
	w.unanswered = false
	known := make([]*replica, 0, len(addresses))
	for _, a := range addresses {
		i := slices.IndexFunc(w.known, func(r *replica) bool { return r.address == a })
		if i >= 0 {
			known = append(known, w.known[i])
		} else {
			known = append(known, w.start(ctx, a))
		}
	}
	for _, r := range w.known {
		if !slices.Contains(known, r) {
			r.stop()
		}
	}
	w.known = known
	w.tell()
}

func (w *watch) notFound(ctx context.Context, err error) {
	w.set.lookupFailures.Add(1)
	if len(w.known) == 0 {
		w.cc.ReportError(fmt.Errorf("look up %s: %w", w.set.deps.Target, err))
	}
	if !w.unanswered {
		w.unanswered = true
		w.set.deps.Logger.WarnContext(ctx, "hub not found in DNS",
			"target", w.set.deps.Target, "kept_replicas", len(w.known), "cause", err)
	}
}

// start begins to ask a new replica.
func (w *watch) start(ctx context.Context, address string) *replica {
	r := &replica{address: address, connections: map[*connection]struct{}{}}
	gone, stop := context.WithCancel(ctx)
	r.stop = stop
	p := &prober{
		replica:     r,
		authority:   w.authorityOf(address),
		credentials: w.set.deps.Credentials,
		limit:       w.set.deps.Config.ProbeInterval,
	}
	w.running.Go(func() { p.run(gone, func(found state) { w.probed(gone, r, found) }) })
	w.running.Go(func() { w.keepTunnel(ctx, gone, r) })
	return r
}

func (w *watch) authorityOf(address string) string {
	if w.authority != "" {
		return w.authority
	}
	return address
}

// probed takes the result of a probe. A replica is out from when it is found to be silent while another one
// answers, until it answers, or until none does: then there is nowhere else to go.
func (w *watch) probed(ctx context.Context, r *replica, found state) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return // It is not among the known ones any more.
	}
	switch {
	case found == unknown && r.state == silent:
		return
	case found == silent && r.state != silent:
		w.set.deps.Logger.WarnContext(ctx, "replica does not answer", "target", w.set.deps.Target, "replica", r.address)
	case found == answering && r.state == silent:
		w.set.deps.Logger.InfoContext(ctx, "replica answers again", "target", w.set.deps.Target, "replica", r.address)
	}
	r.state, r.out = found, found == silent
	w.tell()
}

// tell gives gRPC the replicas that should get calls, when they are others than before.
func (w *watch) tell() {
	if !slices.ContainsFunc(w.known, func(r *replica) bool { return r.state == answering }) {
		for _, r := range w.known {
			r.out = false
		}
	}
	use := slices.DeleteFunc(slices.Clone(w.known), func(r *replica) bool { return r.out })
	w.set.in.Store(uint64(len(use)))
	w.set.out.Store(uint64(len(w.known) - len(use)))
	if slices.Equal(use, w.told) {
		return
	}
	before := w.told
	w.told = use
	w.set.use.Store(&use)
	// It fails for none at all only.
	_ = w.cc.UpdateState(resolver.State{Endpoints: w.endpoints(use)})
	for _, r := range w.known {
		if slices.Contains(before, r) && !slices.Contains(use, r) {
			w.set.takenOut.Add(1)
			r.cut()
		}
	}
}

// replicaKey is that of the replica among the attributes of its address.
type replicaKey struct{}

func (w *watch) endpoints(replicas []*replica) []resolver.Endpoint {
	all := make([]resolver.Endpoint, len(replicas))
	for i, r := range replicas {
		all[i].Addresses = []resolver.Address{{
			Addr: r.address, ServerName: w.authorityOf(r.address), Attributes: attributes.New(replicaKey{}, r),
		}}
	}
	return all
}
