package tracing_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/config"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/pkg/telemetry/tracing/tracingtest"
)

// The trace that a caller sends.
const (
	callerTrace = "0af7651916cd43dd8448eb211c80319c"
	callerSpan  = "b7ad6b7169203331"
	sampled     = "00-" + callerTrace + "-" + callerSpan + "-01"
	unsampled   = "00-" + callerTrace + "-" + callerSpan + "-00"
)

// open opens a tracer with settings in the environment, where the SDK looks for its own.
func open(t *testing.T, environ ...string) *tracing.Tracer {
	t.Helper()
	for _, setting := range environ {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	var c tracing.Config
	if err := config.Load(&c, environ); err != nil {
		t.Fatal(err)
	}
	tracer, err := tracing.Open(t.Context(), c, "todohub", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return tracer
}

// flush ends a tracer.
func flush(t *testing.T, tracer *tracing.Tracer) {
	t.Helper()
	if err := tracer.Part().Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestTracesAreOffUntilSomebodyAsks(t *testing.T) {
	c := tracingtest.New(t)
	for name, environ := range map[string][]string{
		"nothing":                 nil,
		"an exporter of nothing":  {"OTEL_TRACES_EXPORTER=none", "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.HTTP},
		"all of OpenTelemetry is": {"OTEL_SDK_DISABLED=true", "OTEL_TRACES_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_ENDPOINT=" + c.HTTP},
	} {
		t.Run(name, func(t *testing.T) {
			if open(t, environ...) != nil {
				t.Error("there is a tracer")
			}
		})
	}
}

func TestSpansArriveOverBothProtocols(t *testing.T) {
	c := tracingtest.New(t)
	for name, environ := range map[string][]string{
		"http":              {"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.HTTP},
		"http, for traces":  {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + c.HTTP + "/v1/traces"},
		"grpc":              {"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.GRPC, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
		"grpc, for traces":  {"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.GRPC, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc"},
		"a name of its own": {"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.HTTP, "OTEL_SERVICE_NAME=mine", "OTEL_RESOURCE_ATTRIBUTES=service.name=other,team=a%20b"},
		"a name among many": {"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.HTTP, "OTEL_RESOURCE_ATTRIBUTES=service.name=mine"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(c.Spans())
			tracer := open(t, environ...)
			_, span := tracer.Request(t.Context(), http.Header{})
			span.Answered("GET /message-hub/inbox", 200, "portal")
			flush(t, tracer)
			spans := c.Spans()[before:]
			if len(spans) != 1 {
				t.Fatalf("%d spans arrived", len(spans))
			}
			want := "todohub"
			if strings.HasPrefix(name, "a name") {
				want = "mine"
			}
			if s := spans[0]; s.Service != want || s.Name != "GET /message-hub/inbox" || s.Kind != "server" || s.Parent != "" {
				t.Errorf("got %+v of %s", s, want)
			}
		})
	}
}

func TestSampler(t *testing.T) {
	for _, tt := range []struct {
		sampler, arg                  string
		alone, ofSampled, ofUnsampled bool
	}{
		{"", "", true, true, false},
		{"parentbased_always_on", "", true, true, false},
		{"parentbased_always_off", "", false, true, false},
		{"always_on", "", true, true, true},
		{"always_off", "", false, false, false},
		{"traceidratio", "", true, true, true},
		{"traceidratio", "0", false, false, false},
		{"parentbased_traceidratio", "0", false, true, false},
		{"parentbased_traceidratio", "1", true, true, false},
	} {
		t.Run(tt.sampler+" "+tt.arg, func(t *testing.T) {
			tracer := open(t, "OTEL_TRACES_EXPORTER=otlp", "OTEL_TRACES_SAMPLER="+tt.sampler, "OTEL_TRACES_SAMPLER_ARG="+tt.arg,
				"OTEL_EXPORTER_OTLP_ENDPOINT="+tracingtest.New(t).HTTP)
			defer flush(t, tracer)
			for parent, want := range map[string]bool{"": tt.alone, sampled: tt.ofSampled, unsampled: tt.ofUnsampled} {
				ctx, span := tracer.Request(t.Context(), http.Header{"Traceparent": {parent}})
				if _, _, ok := tracing.IDs(ctx); ok != want || span.Recording() != want {
					t.Errorf("parent %q: traced %v, %v; want %v", parent, ok, span.Recording(), want)
				}
				span.Answered(telemetry.Other, 200, "")
			}
		})
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	var c tracing.Config
	err := config.Load(&c, []string{
		"OTEL_TRACES_EXPORTER=zipkin", "OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=ftp://a",
		"OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=udp",
	})
	var names []string
	for line := range strings.Lines(err.Error()) {
		name, _, _ := strings.Cut(line, ":")
		names = append(names, name)
	}
	want := []string{
		"OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_ENDPOINT",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// called is a connection that notes the metadata of its call and answers err.
type called struct {
	grpc.ClientConnInterface
	sent metadata.MD
	err  error
}

func (c *called) Invoke(ctx context.Context, _ string, _, _ any, _ ...grpc.CallOption) error {
	c.sent, _ = metadata.FromOutgoingContext(ctx)
	return c.err
}

// TestOneTree follows a trace from a caller over a request, a call and its statement.
func TestOneTree(t *testing.T) {
	tracer, end := tracingtest.Open(t)
	ctx, request := tracer.Request(t.Context(), http.Header{"Traceparent": {sampled}})
	line := &called{err: status.Error(codes.NotFound, "no such todo")}
	_ = tracer.Conn(line).Invoke(metadata.AppendToOutgoingContext(ctx, "x-request-id", "7"), "/hub.todo.v1.TodoService/ClearTodo", nil, nil)
	if got := line.sent["x-request-id"]; !cmp.Equal(got, []string{"7"}) {
		t.Errorf("the request id is %q", got)
	}

	inner, call := tracer.Call(metadata.NewIncomingContext(t.Context(), line.sent), "/hub.todo.v1.TodoService/ClearTodo", true)
	began := time.Now().Add(-time.Second)
	tracer.Statement(inner, tracing.Statement{Database: "todohub", Name: "clear_todo", Began: began, Rows: 3})
	tracer.Statement(inner, tracing.Statement{Name: "get_todo", Began: began, Err: errors.New(`bad value "secret"`)})
	tracer.Publish(inner, "redis", "{hub}:events", 2).Published(false)
	call.Served(codes.NotFound, "portal")
	request.Answered("POST /todo-hub/todos/{todoId}/clear", 404, "portal")

	type span struct {
		Name, Kind, Below string
		Attributes        map[string]string
		Failed            bool
	}
	spans := end()
	names := map[string]string{callerSpan: "the caller"}
	for _, s := range spans {
		if s.Trace != callerTrace {
			t.Errorf("%s is in trace %s", s.Name, s.Trace)
		}
		names[s.ID] = s.Kind + " " + s.Name
	}
	var got []span
	for _, s := range spans {
		got = append(got, span{s.Name, s.Kind, names[s.Parent], s.Attributes, s.Failed})
	}
	const method = "hub.todo.v1.TodoService/ClearTodo"
	want := []span{
		{method, "client", "server POST /todo-hub/todos/{todoId}/clear", map[string]string{
			"rpc.system.name": "grpc", "rpc.method": method, "rpc.response.status_code": "NOT_FOUND", "error.type": "NOT_FOUND",
		}, true},
		{"clear_todo", "client", "server " + method, map[string]string{
			"db.system.name": "postgresql", "db.namespace": "todohub", "db.query.summary": "clear_todo", "db.response.returned_rows": "int_value:3",
		}, false},
		{"get_todo", "client", "server " + method, map[string]string{
			"db.system.name": "postgresql", "db.query.summary": "get_todo", "db.response.returned_rows": "int_value:0", "error.type": "_OTHER",
		}, true},
		{"publish {hub}:events", "producer", "server " + method, map[string]string{
			"messaging.system": "redis", "messaging.operation.name": "publish", "messaging.operation.type": "send",
			"messaging.destination.name": "{hub}:events", "messaging.batch.message_count": "int_value:2", "error.type": "_OTHER",
		}, true},
		{method, "server", "client " + method, map[string]string{
			"rpc.system.name": "grpc", "rpc.method": method, "rpc.response.status_code": "NOT_FOUND", "hub.client_id": "portal",
		}, false},
		{"POST /todo-hub/todos/{todoId}/clear", "server", "the caller", map[string]string{
			"http.request.method": "POST", "http.route": "/todo-hub/todos/{todoId}/clear", "http.response.status_code": "int_value:404", "hub.client_id": "portal",
		}, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestWorkOfNoRequestHasNoSpan is about what happens every second.
func TestWorkOfNoRequestHasNoSpan(t *testing.T) {
	tracer, end := tracingtest.Open(t)
	line := &called{}
	_ = tracer.Conn(line).Invoke(t.Context(), "/hub.event.v1.EventService/ListEvents", nil, nil)
	if line.sent != nil {
		t.Errorf("sent %v", line.sent)
	}
	ctx, span := tracer.Call(t.Context(), "/hub.event.v1.EventService/ListEvents", true)
	tracer.Statement(ctx, tracing.Statement{Name: "select_events", Began: time.Now()})
	tracer.Publish(ctx, "redis", "{hub}:events", 1).Published(true)
	span.Served(codes.OK, "")
	if spans := end(); len(spans) > 0 {
		t.Errorf("got %+v", spans)
	}
}

// TestUnsampledTraceGoesOnUnsampled keeps a hub from sampling what its edge did not.
func TestUnsampledTraceGoesOnUnsampled(t *testing.T) {
	tracer, end := tracingtest.Open(t)
	ctx, request := tracer.Request(t.Context(), http.Header{"Traceparent": {unsampled}})
	line := &called{}
	_ = tracer.Conn(line).Invoke(ctx, "/a/B", nil, nil)
	if got := line.sent["traceparent"]; len(got) != 1 || !strings.HasPrefix(got[0], "00-"+callerTrace) || !strings.HasSuffix(got[0], "-00") {
		t.Errorf("sent %q", got)
	}
	_, call := tracer.Call(metadata.NewIncomingContext(t.Context(), line.sent), "/a/B", false)
	call.Served(codes.OK, "")
	request.Answered(telemetry.Other, 200, "")
	if spans := end(); len(spans) > 0 {
		t.Errorf("got %+v", spans)
	}
}

// TestNoTracerCostsNothing goes through everything that a request does.
func TestNoTracerCostsNothing(t *testing.T) {
	var none *tracing.Tracer
	header := http.Header{"Traceparent": {sampled}}
	ctx := metadata.NewIncomingContext(t.Context(), metadata.MD{"traceparent": {sampled}})
	line := &called{}
	conn := none.Conn(line)
	if conn != grpc.ClientConnInterface(line) {
		t.Error("the connection is wrapped")
	}
	got := testing.AllocsPerRun(100, func() {
		ctx, request := none.Request(ctx, header)
		ctx, call := none.Call(ctx, "/a/B", false)
		none.Statement(ctx, tracing.Statement{Name: "push"})
		none.Publish(ctx, "redis", "events", 1).Published(true)
		_, _, _ = tracing.IDs(ctx)
		call.Served(codes.OK, "portal")
		request.Answered("GET /a", 200, "portal")
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func TestStopDoesNotWaitForACollectorThatIsAway(t *testing.T) {
	tracer := open(t, "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1")
	_, span := tracer.Request(t.Context(), http.Header{})
	span.Answered(telemetry.Other, 200, "")
	began := time.Now()
	flush(t, tracer)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the stop took %v", took)
	}
}
