package grpcserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/telemetrytest"
	"example.com/hub/pkg/telemetry/tracing/tracingtest"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
)

// noting makes a service that keeps the request id of the last call.
func noting(id *string) *todos {
	return &todos{upsert: func(ctx context.Context, _ *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) {
		*id = requestid.From(ctx)
		return nil, fault.New(fault.NotFound, "no such todo")
	}}
}

func TestRequestIDIsTaken(t *testing.T) {
	for _, id := range []string{"7", "5f0c2a1e-9c1b-4f6e-8d50-c6f3b1a7a001", strings.Repeat("a", 128)} {
		var seen string
		onEach(t, noting(&seen), func(t *testing.T, c grpc.ClientConnInterface, l *logs) {
			var header metadata.MD
			ctx := metadata.AppendToOutgoingContext(t.Context(), "x-request-id", id)
			_, _ = upsert(ctx, c, grpc.Header(&header))
			if seen != id || loggedID(t, l) != id {
				t.Errorf("the service has %q and the log %s, want %q", seen, l, id)
			}
			if got := header.Get("x-request-id"); got != nil {
				t.Errorf("the caller is told its own id: %q", got)
			}
		})
	}
}

func TestRequestIDIsMadeInThePlaceOfABadOne(t *testing.T) {
	for name, values := range map[string][]string{
		"none":         nil,
		"empty":        {""},
		"two":          {"a", "b"},
		"blank inside": {"a b"},
		"escaped CRLF": {"a%0d%0ab"},
		"quote":        {`a"b`},
		"too long":     {strings.Repeat("a", 129)},
		"huge":         {strings.Repeat("a", 8000)},
	} {
		t.Run(name, func(t *testing.T) {
			var seen string
			onEach(t, noting(&seen), func(t *testing.T, c grpc.ClientConnInterface, l *logs) {
				var header metadata.MD
				ctx := metadata.NewOutgoingContext(t.Context(), metadata.MD{"x-request-id": values})
				_, _ = upsert(ctx, c, grpc.Header(&header))
				if len(seen) != 26 || loggedID(t, l) != seen {
					t.Errorf("the service has %q and the log %.300s", seen, l)
				}
				if got := header.Get("x-request-id"); len(got) != 1 || got[0] != seen {
					t.Errorf("the caller is told %q, want %q", got, seen)
				}
			})
		})
	}
}

// TestRequestIDsThatOnlyMemoryCarries sends what no gRPC transport would.
func TestRequestIDsThatOnlyMemoryCarries(t *testing.T) {
	for _, bad := range []string{"a\r\nb", "a\nlevel=ERROR", "\x00", "é", "\xff", strings.Repeat("a", 1<<20)} {
		var seen string
		o, l := options()
		s := local(o, noting(&seen))
		_, _ = upsert(metadata.AppendToOutgoingContext(t.Context(), "x-request-id", bad), s)
		if len(seen) != 26 || loggedID(t, l) != seen {
			t.Errorf("%.20q: the service has %.40q and the log %.300s", bad, seen, l)
		}
	}
}

// loggedID is the request id in the only line of the log.
func loggedID(t *testing.T, l *logs) string {
	t.Helper()
	var line struct {
		ID string `json:"request_id"`
	}
	if err := json.Unmarshal([]byte(l.String()), &line); err != nil {
		t.Fatalf("%v in %.300s", err, l)
	}
	return line.ID
}

func TestMetricsOfCalls(t *testing.T) {
	registry := telemetry.New()
	o, _ := options()
	o.Metrics = registry.GRPCRequests([]string{todov1.TodoService_UpsertTodo_FullMethodName})
	svc := answering(nil)
	s := grpcserver.New(o)
	todov1.RegisterTodoServiceServer(s, svc)
	listening := dial(t, s)
	memory := local(o, svc)

	for _, c := range []grpc.ClientConnInterface{listening, memory} {
		if _, err := upsert(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		_, _ = todov1.NewTodoServiceClient(c).UpsertTodo(t.Context(), &todov1.UpsertTodoRequest{})
		_, _ = todov1.NewTodoServiceClient(c).InvalidateTodo(withAuthorization(t.Context(), "Bearer good"), &todov1.InvalidateTodoRequest{})
	}
	svc.upsert = func(context.Context, *todov1.UpsertTodoRequest) (*todov1.UpsertTodoResponse, error) { panic("defect") }
	_, _ = upsert(t.Context(), memory)
	if _, err := healthpb.NewHealthClient(listening).Check(t.Context(), &healthpb.HealthCheckRequest{}); err != nil {
		t.Fatal(err)
	}

	got := telemetrytest.Scrape(registry, "hub_grpc_")
	for _, line := range []string{
		`hub_grpc_requests_total{code="OK",method="/hub.todo.v1.TodoService/UpsertTodo"} 2`,
		`hub_grpc_requests_total{code="Unauthenticated",method="/hub.todo.v1.TodoService/UpsertTodo"} 2`,
		`hub_grpc_requests_total{code="Internal",method="/hub.todo.v1.TodoService/UpsertTodo"} 1`,
		`hub_grpc_request_duration_seconds_count{method="/hub.todo.v1.TodoService/UpsertTodo"} 5`,
		`hub_grpc_requests_total{code="PermissionDenied",method="other"} 2`,
		`hub_grpc_requests_total{code="OK",method="other"} 0`, // health does not count
	} {
		if !slices.Contains(got, line) {
			t.Errorf("no %s in %q", line, got)
		}
	}
}

// TestSpansOfCalls makes a call in a trace and one outside, over a connection that hands the trace on.
func TestSpansOfCalls(t *testing.T) {
	for _, shape := range []string{"listening", "local"} {
		t.Run(shape, func(t *testing.T) {
			tracer, end := tracingtest.Open(t)
			o, l := options()
			o.Tracer = tracer
			svc := answering(fault.New(fault.Unavailable, "the database is busy"))
			var c grpc.ClientConnInterface
			if shape == "local" {
				c = local(o, svc)
			} else {
				s := grpcserver.New(o)
				todov1.RegisterTodoServiceServer(s, svc)
				c = dial(t, s)
				if _, err := healthpb.NewHealthClient(c).Check(t.Context(), &healthpb.HealthCheckRequest{}); err != nil {
					t.Fatal(err)
				}
			}
			c = tracer.Conn(c)
			ctx, request := tracer.Request(t.Context(), http.Header{})
			_, _ = upsert(ctx, c)
			request.Answered("POST /todo-hub/todos", 503, "erp")
			_, _ = upsert(t.Context(), c)

			const method = "hub.todo.v1.TodoService/UpsertTodo"
			spans := end()
			if len(spans) != 4 {
				t.Fatalf("%d spans: %+v", len(spans), spans)
			}
			server, client, root, alone := spans[0], spans[1], spans[2], spans[3]
			for _, s := range []tracingtest.Span{server, client, alone} {
				if s.Name != method || !s.Failed || s.Attributes["rpc.response.status_code"] != "UNAVAILABLE" {
					t.Errorf("got %+v", s)
				}
			}
			if server.Kind != "server" || client.Kind != "client" || server.Parent != client.ID || client.Parent != root.ID || server.Trace != root.Trace {
				t.Errorf("no tree: %+v", spans)
			}
			if alone.Parent != "" || alone.Trace == root.Trace || alone.Attributes["hub.client_id"] != "erp" {
				t.Errorf("the call of no request: %+v", alone)
			}
			if want := `"trace_id":"` + server.Trace + `","span_id":"` + server.ID + `"`; !strings.Contains(l.String(), want) {
				t.Errorf("no %s in %s", want, l)
			}
		})
	}
}

// TestAccessLogShowsAShareOfSuccesses lets the request ids decide; a failure is shown in any case.
func TestAccessLogShowsAShareOfSuccesses(t *testing.T) {
	for share, want := range map[log.Sample]string{0: "DEBUG", 1: "INFO"} {
		o, l := options()
		o.Access = share
		if _, err := upsert(t.Context(), local(o, answering(nil))); err != nil {
			t.Fatal(err)
		}
		if line := l.String(); !strings.Contains(line, `"level":"`+want+`","msg":"grpc call"`) {
			t.Errorf("a share of %v: %s, want the level %s", float64(share), line, want)
		}
	}
	o, l := options()
	o.Access, o.Policy = 1, auth.Policy{todov1.TodoService_UpsertTodo_FullMethodName: {Internal: true}}
	o.Verifier = tokens{"good": {Internal: true}}
	if _, err := upsert(t.Context(), local(o, answering(nil))); err != nil {
		t.Fatal(err)
	}
	if line := l.String(); !strings.Contains(line, `"level":"DEBUG"`) {
		t.Errorf("a call of an edge: %s", line)
	}
	o, l = options()
	o.Access = 1
	if _, err := healthpb.NewHealthClient(dial(t, grpcserver.New(o))).Check(t.Context(), &healthpb.HealthCheckRequest{}); err != nil {
		t.Fatal(err)
	}
	if line := l.String(); !strings.Contains(line, `"level":"DEBUG"`) {
		t.Errorf("a probe: %s", line)
	}
	o, l = options()
	_, _ = upsert(t.Context(), local(o, answering(fault.New(fault.NotFound, "no such todo"))))
	if line := l.String(); !strings.Contains(line, `"level":"INFO"`) {
		t.Errorf("a failure: %s", line)
	}
}
