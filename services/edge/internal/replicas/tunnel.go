package replicas

import (
	"context"
	"errors"
	"slices"
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

// tunnel gives that of the next replica, or nil.
func (s *Set) tunnel() *tunnel.Client {
	use := s.use.Load()
	if use == nil || len(*use) == 0 {
		return nil
	}
	return (*use)[s.turn.Add(1)%uint64(len(*use))].tunnel.Load()
}

// keepTunnel keeps a tunnel to r open until ctx ends.
func (w *watch) keepTunnel(ctx context.Context, r *replica) {
	conn, err := w.dialTunnel(r)
	if err != nil {
		w.set.deps.Logger.ErrorContext(ctx, "tunnel cannot be opened", "target", w.set.deps.Target, "replica", r.address, "cause", err)
		return
	}
	defer func() { _ = conn.Close() }()
	if w.set.deps.Tunnels.Key != "" {
		ctx = metadata.NewOutgoingContext(ctx, metadata.Pairs("authorization", "Bearer "+w.set.deps.Tunnels.Key))
	}
	for {
		next := time.After(reopen)
		t, err := tunnel.Open(ctx, conn, w.set.deps.Tunnels.MaxResponse, &w.set.tunnelled)
		switch status.Code(err) {
		case codes.OK:
			r.tunnel.Store(t)
			w.set.tunnels.Add(1)
			w.running.Go(t.Wait)
			select {
			case <-t.Full():
			case <-ctx.Done():
			}
			r.tunnel.Store(nil)
			w.set.tunnels.Add(-1)
		case codes.Unimplemented, codes.Unauthenticated, codes.PermissionDenied:
			next = time.After(refused)
		}
		select {
		case <-next:
		case <-ctx.Done():
			return
		}
	}
}

// dialTunnel makes the connection of a tunnel, which is one of the replica's as those of gRPC's own calls are.
func (w *watch) dialTunnel(r *replica) (*grpc.ClientConn, error) {
	address := manual.NewBuilderWithScheme(listScheme)
	address.InitialState(resolver.State{Endpoints: w.endpoints([]*replica{r})})
	options := slices.Concat(w.set.deps.Tunnels.Options, []grpc.DialOption{
		grpc.WithResolvers(address),
		grpc.WithAuthority(w.authorityOf(r.address)),
		grpc.WithTransportCredentials(watched{w.set.deps.Credentials}),
	})
	return grpc.NewClient(listScheme+":///hub", options...)
}
