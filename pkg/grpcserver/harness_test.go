package grpcserver_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/test/bufconn"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/tunnel"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// todos is a service whose methods are what a test makes them.
type todos struct {
	todov1.UnimplementedTodoServiceServer
	upsert func(context.Context, *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error)
}

func (s *todos) UpsertTodo(ctx context.Context, r *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
	return s.upsert(ctx, r)
}

// answering makes a service that answers every upsert with err, or with an empty item.
func answering(err error) *todos {
	return &todos{upsert: func(context.Context, *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		return &todov1.UpsertTodoResponse{}, err
	}}
}

// tokens verifies by looking the token up.
type tokens map[string]auth.Principal

func (v tokens) Verify(_ context.Context, raw string) (auth.Principal, error) {
	if c, ok := v[raw]; ok {
		return c, nil
	}
	return auth.Principal{}, fault.New(fault.Unauthenticated, "the access token is not valid")
}

// known are the tokens of the tests, and policy leaves InvalidateTodo out.
var (
	known = tokens{
		"good":    {Client: "erp", Scopes: []string{"profile", auth.ScopeClient}},
		"profile": {Client: "limited", Scopes: []string{"profile", "clientx", "client x"}},
	}
	policy = auth.Policy{
		todov1.TodoService_UpsertTodo_FullMethodName: {Scope: auth.ScopeClient},
		todov1.TodoService_ListTodos_FullMethodName:  {Scope: auth.ScopeClient},
	}
)

// logs is a log that may be read while it is written.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func options() (grpcserver.Options, *logs) {
	l := &logs{}
	return grpcserver.Options{
		Verifier: known,
		Policy:   policy,
		Logger:   log.New(l, log.Config{Format: "json", Level: slog.LevelDebug}),
	}, l
}

// dial serves s on a connection without a network.
func dial(t testing.TB, s *grpcserver.Server) grpc.ClientConnInterface {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	return serveOn(t, s, listener, "passthrough:///hub",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
	)
}

// serveOn serves s on a listener and connects to it.
func serveOn(t testing.TB, s *grpcserver.Server, listener net.Listener, target string, options ...grpc.DialOption) grpc.ClientConnInterface {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		_ = s.Stop(t.Context()) // which has ended, so that nothing is waited for
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return conn
}

// onEach runs f with svc behind a listening server, behind a tunnel to one, and behind one in memory: callers
// must not be able to tell them apart.
func onEach(t *testing.T, svc todov1.TodoServiceServer, f func(t *testing.T, c grpc.ClientConnInterface, l *logs)) {
	t.Helper()
	t.Run("listening", func(t *testing.T) {
		o, l := options()
		s := grpcserver.New(o)
		todov1.RegisterTodoServiceServer(s, svc)
		f(t, dial(t, s), l)
	})
	t.Run("tunnel", func(t *testing.T) {
		o, l := options()
		o.Edges.Key = newKey(t)
		s := grpcserver.New(o)
		todov1.RegisterTodoServiceServer(s, svc)
		f(t, dialTunnel(t, s), l)
	})
	t.Run("local", func(t *testing.T) {
		o, l := options()
		s := grpcserver.NewLocal(o)
		todov1.RegisterTodoServiceServer(s, svc)
		f(t, s, l)
	})
}

func newKey(t testing.TB) *internalkey.Key {
	t.Helper()
	key, err := internalkey.New(internalKey)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// tunnelled is a connection whose calls all go through a tunnel.
type tunnelled struct {
	grpc.ClientConnInterface
	*tunnel.Client
}

// Invoke implements grpc.ClientConnInterface.
func (c tunnelled) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return c.Client.Invoke(ctx, method, args, reply, opts...)
}

// dialTunnel is dial with a tunnel, which the server must take.
func dialTunnel(t testing.TB, s *grpcserver.Server) grpc.ClientConnInterface {
	t.Helper()
	return openTunnel(t, dial(t, s))
}

func openTunnel(t testing.TB, conn grpc.ClientConnInterface) grpc.ClientConnInterface {
	t.Helper()
	ctx, cancel := context.WithCancel(withAuthorization(context.Background(), "Bearer "+internalKey))
	c, err := tunnel.Open(ctx, conn, 4<<20, new(tunnel.Counts))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		c.Wait()
	})
	return tunnelled{conn, c}
}

func withAuthorization(ctx context.Context, values ...string) context.Context {
	md, _ := metadata.FromOutgoingContext(ctx)
	return metadata.NewOutgoingContext(ctx, metadata.Join(md, metadata.MD{"authorization": values}))
}

// upsert calls with a good token.
func upsert(ctx context.Context, c grpc.ClientConnInterface, opts ...grpc.CallOption) (*todov1.UpsertTodoResponse, error) {
	return todov1.NewTodoServiceClient(c).UpsertTodo(withAuthorization(ctx, "Bearer good"), &todov1.UpsertTodoRequest{}, opts...)
}
