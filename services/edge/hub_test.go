package edge_test

import (
	"context"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/telemetrytest"
	"example.com/hub/pkg/tlsfiles"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/edge"
	"example.com/hub/services/edge/internal/replicas"
)

// watching has fast lookups, so that tests are. A probe has the time that it has by default: with less, a
// replica beside other tests on the same machine looks like one that hangs.
var watching = replicas.Config{LookupInterval: 100 * time.Millisecond, ProbeInterval: time.Second}

// patience bounds every wait; only a broken edge uses it up.
const patience = 20 * time.Second

// hub is a replica of todohub that can hang.
type hub struct {
	todov1.UnimplementedTodoServiceServer
	*health.Server
	*freezer

	// upserts counts the calls that came.
	upserts atomic.Int32
	// answer is what a call comes to, check what comes before health is answered.
	answer, check atomic.Pointer[func(context.Context) error]
	// stop stops the process in order, and end under its calls.
	stop func(context.Context) error
	end  func()
}

func (h *hub) answers(f func(context.Context) error) { h.answer.Store(&f) }

func (h *hub) checks(f func(context.Context) error) { h.check.Store(&f) }

func (h *hub) UpsertTodo(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
	h.upserts.Add(1)
	return &todov1.UpsertTodoResponse{}, (*h.answer.Load())(ctx)
}

func (h *hub) Check(ctx context.Context, r *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	if err := (*h.check.Load())(ctx); err != nil {
		return nil, err
	}
	return h.Server.Check(ctx, r)
}

func atOnce(context.Context) error { return nil }

// serveTodos starts a replica that answers every call at once, with the limit of a hub on the calls of
// one connection.
func serveTodos(t *testing.T, options ...grpc.ServerOption) *hub {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	key, err := internalkey.New(hubKey)
	if err != nil {
		t.Fatal(err)
	}
	h := &hub{Server: health.NewServer(), freezer: newFreezer(l)}
	h.answers(atOnce)
	h.checks(atOnce)
	s := grpcserver.New(grpcserver.Options{
		Policy: auth.Policy{todov1.TodoService_UpsertTodo_FullMethodName: {Internal: true}}, Edges: grpcserver.Edges{Key: key},
		Logger: slog.New(slog.DiscardHandler), Health: h, Server: options,
	})
	todov1.RegisterTodoServiceServer(s, h)
	at, cancel := context.WithCancel(t.Context())
	cancel()
	h.stop, h.end = s.Stop, func() { _ = s.Stop(at) }
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(h.freezer) }()
	t.Cleanup(func() {
		h.thaw()
		h.end()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return h
}

// todos is an edge's connection to replicas of todohub.
type todos struct {
	todov1.TodoServiceClient
	t       *testing.T
	metrics *telemetry.Registry
}

// hubKey is the internal key of all hubs.
var hubKey = strings.Repeat("k", 40)

// eachWay runs f with calls that go through tunnels, and with calls that have a stream each.
func eachWay(t *testing.T, f func(t *testing.T, tunnels bool)) {
	t.Run("tunnels", func(t *testing.T) { f(t, true) })
	t.Run("streams", func(t *testing.T) { f(t, false) })
}

func dialTodos(t *testing.T, tunnels bool, files *tlsfiles.Files, hubs ...*hub) todos {
	t.Helper()
	addresses := make([]string, len(hubs))
	for i, h := range hubs {
		addresses[i] = h.Addr().String()
	}
	metrics := telemetry.New()
	key := ""
	if tunnels {
		key = hubKey
	}
	conn, err := edge.Dial(edge.Target{
		Area: "todo", Key: key, Address: strings.Join(addresses, ","), TLS: files, MaxReceive: 1 << 20, Replicas: watching, Metrics: metrics,
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	c := todos{todov1.NewTodoServiceClient(conn), t, metrics}
	c.reach(hubs...)
	if tunnels {
		eventually(t, "all tunnels are open", func() bool { return c.gauge(`hub_edge_tunnels{area="todo"} `) == strconv.Itoa(len(hubs)) })
	}
	return c
}

// call makes one call, and tells how long it took.
func (c todos) call() (time.Duration, error) {
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+hubKey)
	begin := time.Now()
	_, err := c.UpsertTodo(ctx, &todov1.UpsertTodoRequest{})
	return time.Since(begin), err
}

// reach waits until each of the replicas gets calls.
func (c todos) reach(hubs ...*hub) {
	c.t.Helper()
	for _, h := range hubs {
		before := h.upserts.Load()
		eventually(c.t, "a replica gets calls", func() bool {
			if _, err := c.call(); err != nil {
				c.t.Fatal(err)
			}
			return h.upserts.Load() > before
		})
	}
}

// out tells how many replicas get no calls.
func (c todos) out() string {
	return c.gauge(`hub_edge_replicas{area="todo",state="out"} `)
}

// gauge gives the value of a metric, whose sample begins so.
func (c todos) gauge(sample string) string {
	return strings.TrimPrefix(strings.Join(telemetrytest.Scrape(c.metrics, sample), ""), sample)
}

func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); {
		if time.Now().After(end) {
			t.Fatalf("it never is so that %s", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// freezer is a listener whose process can stop: the system takes connections and bytes for it, and
// nobody reads or writes.
type freezer struct {
	net.Listener
	// written counts the bytes on their way to clients.
	written atomic.Int64
	mu      sync.Mutex
	frozen  chan struct{} // closed while the process runs
}

func newFreezer(l net.Listener) *freezer {
	f := &freezer{Listener: l, frozen: make(chan struct{})}
	close(f.frozen)
	return f
}

func (f *freezer) freeze() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frozen = make(chan struct{})
}

func (f *freezer) thaw() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.frozen:
	default:
		close(f.frozen)
	}
}

func (f *freezer) wait() {
	f.mu.Lock()
	frozen := f.frozen
	f.mu.Unlock()
	<-frozen
}

// Accept implements net.Listener.
func (f *freezer) Accept() (net.Conn, error) {
	conn, err := f.Listener.Accept()
	f.wait()
	return &frozenConn{conn, f}, err
}

type frozenConn struct {
	net.Conn
	freezer *freezer
}

func (c *frozenConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.freezer.wait()
	return n, err
}

func (c *frozenConn) Write(b []byte) (int, error) {
	c.freezer.wait()
	n, err := c.Conn.Write(b)
	c.freezer.written.Add(int64(n))
	return n, err
}
