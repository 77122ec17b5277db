// Package grpcserver is the frame around every gRPC service of Hub: who may call, what a failure
// looks like, what is logged, and which limits hold. The binary owns the server; services only
// register themselves on it, on one that listens (New) or on one in memory (Local).
package grpcserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
)

// Limits that hold on every listening server.
const (
	maxConcurrentStreams = 100
	maxHeaderListBytes   = 16 << 10
	handshakeTimeout     = 10 * time.Second

	// Bytes of requests that a caller may have on their way, by connection and by call whose message is
	// not being read yet, because its token is being checked. A message that is read has its full length.
	connWindow   = 4 << 20
	streamWindow = 64 << 10

	// Goroutines that stay for calls to come, since the stack of a new one grows, and is copied, several times in
	// each call. Calls beyond have their own.
	streamWorkers = 32

	// Clients ping every 10 s; half of that is tolerated, so that jitter never costs a connection.
	pingInterval    = 10 * time.Second
	pingTimeout     = 5 * time.Second
	minPingInterval = 5 * time.Second

	// Connections end now and then, so that callers behind a load balancer find replicas that were added
	// later. What is under way on them then ends in peace, which for a file takes two minutes at most.
	maxConnectionAge      = 5 * time.Minute
	maxConnectionAgeGrace = 150 * time.Second
)

// Options says what a server lets in.
type Options struct {
	// Verifier checks the bearer token of every call but the open ones. It must not be nil.
	Verifier auth.Verifier
	// Policy says who may call each method. A method that is missing is denied.
	Policy auth.Policy
	// Edges say by what Hub's own services are known, for the methods that only they may call.
	Edges Edges
	// Limiter keeps each client's calls to its share; nil has no limits. Servers can share it.
	Limiter *ratelimit.Limiter
	// Charges say what the methods take of it. A method that is missing is free; a stream costs one unit.
	Charges ratelimit.Charges
	// Logger gets one line per call; nil means slog.Default().
	Logger *slog.Logger
	// Access is the share of the successful calls whose line has the level info, not debug.
	Access log.Sample
	// Tracer traces the calls that need a token.
	Tracer *tracing.Tracer
	// Metrics count the calls that need a token; nil counts none. Servers can share them.
	Metrics *telemetry.Requests
	// Health answers the standard health service, which needs no token, for the empty name; nil means
	// always serving.
	Health healthpb.HealthServer
	// Reflection lets anyone list the methods, without a token.
	Reflection bool
	// MaxAge is when a connection ends; 0 means 5 minutes.
	MaxAge time.Duration
	// MaxReceiveBytes bounds one request message of a caller with a token; 0 means 4 MiB. A longer one is
	// refused as a fault of kind Invalid before it is read.
	MaxReceiveBytes int
	// Entries bound the lists in requests.
	Entries Entries
	// Server is handed to grpc.NewServer: transport credentials.
	Server []grpc.ServerOption
}

// Server is a gRPC server whose services all stand behind the interceptor.
type Server struct {
	grpc        *grpc.Server
	interceptor *interceptor
	// methods are those that tunnels carry, by their full names.
	methods map[string]method
	// closing is closed when the server is about to stop.
	closing chan struct{}
	close   func()
}

var _ reflection.GRPCServer = (*Server)(nil)

// New makes a server that denies by default: a call needs exactly one bearer token, valid and of somebody
// whom the policy admits. Only health, and reflection when it is on, are open.
func New(o Options) *Server {
	i := newInterceptor(o)
	options := []grpc.ServerOption{
		grpc.StreamInterceptor(i.stream),
		grpc.MaxConcurrentStreams(maxConcurrentStreams),
		grpc.MaxHeaderListSize(maxHeaderListBytes),
		grpc.ConnectionTimeout(handshakeTimeout),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime: minPingInterval, PermitWithoutStream: true,
		}),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionAge: cmp.Or(o.MaxAge, maxConnectionAge), MaxConnectionAgeGrace: maxConnectionAgeGrace,
			Time: pingInterval, Timeout: pingTimeout,
		}),
		// Stores are closed after the server stopped, so no handler may outlive it.
		grpc.WaitForHandlers(true),
		// gRPC finds a window of its own by pings, between the requests.
		grpc.StaticStreamWindowSize(streamWindow),
		grpc.StaticConnWindowSize(connWindow),
		grpc.NumStreamWorkers(streamWorkers),
	}
	s := &Server{
		grpc: grpc.NewServer(append(options, o.Server...)...), interceptor: i,
		methods: map[string]method{}, closing: make(chan struct{}),
	}
	s.close = sync.OnceFunc(func() { close(s.closing) })
	registerHealth(s, o.Health)
	if o.Edges.known() {
		s.tunnels()
	}
	if o.Reflection {
		reflection.Register(s)
	}
	return s
}

// RegisterService implements grpc.ServiceRegistrar.
func (s *Server) RegisterService(desc *grpc.ServiceDesc, impl any) {
	guarded := *desc
	guarded.Methods = slices.Clone(desc.Methods)
	for i, m := range guarded.Methods {
		name := "/" + desc.ServiceName + "/" + m.MethodName
		handler := s.interceptor.unary(name, m.Handler)
		guarded.Methods[i].Handler, s.methods[name] = handler, method{impl, handler}
	}
	s.grpc.RegisterService(&guarded, impl)
}

// GetServiceInfo gives the services that reflection lists: all but those that only Hub's own services call,
// for themselves or for users.
func (s *Server) GetServiceInfo() map[string]grpc.ServiceInfo {
	services := s.grpc.GetServiceInfo()
	maps.DeleteFunc(services, func(name string, info grpc.ServiceInfo) bool {
		return len(info.Methods) > 0 && !slices.ContainsFunc(info.Methods, func(m grpc.MethodInfo) bool {
			rule, named := s.interceptor.policy["/"+name+"/"+m.Name]
			return !named || rule.Anyone || rule.Scope != ""
		})
	})
	return services
}

// Serve takes connections from l until the server is stopped, which may have been before. It closes l.
func (s *Server) Serve(l net.Listener) error {
	if err := s.grpc.Serve(l); !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

// Stop lets running calls end until ctx is done, then cuts them off, and returns when no handler
// runs any more. The error tells that calls were cut off.
func (s *Server) Stop(ctx context.Context) error {
	s.close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.grpc.GracefulStop()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		s.grpc.Stop()
		<-ended
		return fmt.Errorf("calls were cut off: %w", context.Cause(ctx))
	}
}
