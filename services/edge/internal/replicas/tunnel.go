package replicas

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/tunnel"
)

const (
	// reopen is the least time from the opening of a tunnel to that of the next one to the same replica.
	reopen = time.Second
	// refused is that time after a replica that takes no tunnels: an older one, or one that does not know
	// this edge.
	refused = time.Minute
)

// Tunnels say how calls share their trips to a replica.
type Tunnels struct {
	// Key is the internal key; empty where the certificate of the connection is enough.
	Key string
	// MaxResponse is the largest response in bytes.
	MaxResponse int
	// Options are those of the connection of a tunnel, besides what a Set adds.
	Options []grpc.DialOption
}

// Conn makes the calls to a hub: through the tunnels to its replicas where there are some, and else each in a
// stream of its own, which gRPC repeats where another replica can answer.
type Conn struct {
	*grpc.ClientConn
	set *Set
}

// Conn gives the connection whose unary calls go through tunnels. The other one was made with s's options.
func (s *Set) Conn(conn *grpc.ClientConn) *Conn { return &Conn{conn, s} }

// Invoke implements grpc.ClientConnInterface.
func (c *Conn) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	if t := c.set.tunnel(); t != nil {
		err := t.Invoke(ctx, method, args, reply, opts...)
		if !errors.Is(err, tunnel.ErrNotAnswered) {
			return err
		}
	}
	return c.ClientConn.Invoke(ctx, method, args, reply, opts...)
}

// tunnel gives that of the next replica, or nil. While a replica takes no tunnels, none is used: gRPC would
// spread the calls of its turns over all, and it had less than its share.
func (s *Set) tunnel() *tunnel.Client {
	use := s.use.Load()
	if use == nil || len(*use) == 0 || s.refusing.Load() > 0 {
		return nil
	}
	return (*use)[s.turn.Add(1)%uint64(len(*use))].tunnel.Load()
}

// keeper keeps a tunnel to a replica open.
type keeper struct {
	set     *Set
	replica *replica
	conn    *grpc.ClientConn
	// refuses says that the replica takes no tunnels.
	refuses bool
	open    sync.WaitGroup
}

// run goes on until gone ends. Calls that are under way then are answered, unless ctx ends, too.
func (k *keeper) run(ctx, gone context.Context) {
	if k.set.deps.Tunnels.Key != "" {
		ctx = metadata.NewOutgoingContext(ctx, metadata.Pairs("authorization", "Bearer "+k.set.deps.Tunnels.Key))
	}
	for gone.Err() == nil {
		next := time.After(reopen)
		t, err := k.dial(ctx, gone)
		if k.judge(gone, err); err == nil {
			k.use(gone, t)
		} else if k.refuses {
			next = time.After(refused)
		}
		select {
		case <-next:
		case <-gone.Done():
		}
	}
	k.judge(gone, nil)
	k.open.Wait()
	_ = k.conn.Close()
}

// dial opens a tunnel that lasts until ctx ends, and gives up when gone does.
func (k *keeper) dial(ctx, gone context.Context) (*tunnel.Client, error) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(gone, cancel)
	t, err := tunnel.Open(ctx, k.conn, k.set.deps.Tunnels.MaxResponse, &k.set.tunnelled)
	stop()
	if err != nil {
		cancel()
		return nil, err
	}
	k.open.Go(func() {
		defer cancel()
		t.Wait()
	})
	return t, nil
}

// use lets calls go through a tunnel until it takes no more.
func (k *keeper) use(gone context.Context, t *tunnel.Client) {
	k.replica.tunnel.Store(t)
	k.set.tunnels.Add(1)
	select {
	case <-t.Full():
	case <-gone.Done():
		t.Close()
	}
	k.replica.tunnel.Store(nil)
	k.set.tunnels.Add(-1)
}

// judge takes what came of a dial.
func (k *keeper) judge(ctx context.Context, err error) {
	switch status.Code(err) {
	case codes.OK:
		if k.refuses {
			k.refuses = false
			k.set.refusing.Add(-1)
		}
	case codes.Unimplemented, codes.Unauthenticated, codes.PermissionDenied:
		if !k.refuses {
			k.refuses = true
			k.set.refusing.Add(1)
			k.set.deps.Logger.InfoContext(ctx, "replica takes no tunnels, so that each call has a stream of its own",
				"target", k.set.deps.Target, "replica", k.replica.address, "cause", err)
		}
	}
}

// keepTunnel keeps a tunnel to r open until gone ends, over a connection that is one of the replica's as those
// of gRPC's own calls are.
func (w *watch) keepTunnel(ctx, gone context.Context, r *replica) {
	address := manual.NewBuilderWithScheme(listScheme)
	address.InitialState(resolver.State{Endpoints: w.endpoints([]*replica{r})})
	conn, err := grpc.NewClient(listScheme+":///hub", slices.Concat(w.set.deps.Tunnels.Options, []grpc.DialOption{
		grpc.WithResolvers(address),
		grpc.WithAuthority(w.authorityOf(r.address)),
		grpc.WithTransportCredentials(watched{w.set.deps.Credentials}),
	})...)
	if err != nil {
		w.set.deps.Logger.ErrorContext(ctx, "tunnel cannot be opened", "target", w.set.deps.Target, "replica", r.address, "cause", err)
		return
	}
	k := &keeper{set: w.set, replica: r, conn: conn}
	k.run(ctx, gone)
}
