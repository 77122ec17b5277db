// Package tracingtest is for tests that look at traces: a collector that takes what a process exports,
// over OTLP in both of its forms.
package tracingtest

import (
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"example.com/hub/pkg/telemetry/tracing"
)

// Span is what arrived of a span.
type Span struct {
	// Service is the name of the process.
	Service string
	// Name and Kind are the span's; a kind is server, client, producer or internal.
	Name, Kind string
	// Trace, ID and Parent are in hex; Parent is empty for the first span of a trace.
	Trace, ID, Parent string
	// Attributes are in the form of their protobuf text, strings as they are.
	Attributes map[string]string
	// Failed is the span's status.
	Failed bool
}

// Collector collects spans.
type Collector struct {
	collectorpb.UnimplementedTraceServiceServer
	// HTTP and GRPC are the endpoints, as URLs.
	HTTP, GRPC string

	mu    sync.Mutex
	spans []Span
}

// New starts a collector that ends with the test.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	collectorpb.RegisterTraceServiceServer(s, c)
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(s.Stop)
	c.GRPC = "http://" + listener.Addr().String()

	web := httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(web.Close)
	c.HTTP = web.URL
	return c
}

// Open gives a tracer of all requests that exports to a collector, and a function that ends it and gives
// the spans.
func Open(t testing.TB) (tracer *tracing.Tracer, end func() []Span) {
	t.Helper()
	c := New(t)
	tracer, err := tracing.Open(t.Context(), tracing.Config{Endpoint: c.HTTP}, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return tracer, func() []Span {
		t.Helper()
		if err := tracer.Part().Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Fatal(err)
		}
		return c.Spans()
	}
}

// Spans gives what has arrived.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Export implements collectorpb.TraceServiceServer.
func (c *Collector) Export(_ context.Context, r *collectorpb.ExportTraceServiceRequest) (*collectorpb.ExportTraceServiceResponse, error) {
	c.take(r)
	return &collectorpb.ExportTraceServiceResponse{}, nil
}

func (c *Collector) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collectorpb.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.take(&request)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *Collector) take(r *collectorpb.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, process := range r.GetResourceSpans() {
		service := attributes(process.GetResource().GetAttributes())["service.name"]
		for _, scope := range process.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, Span{
					Service: service, Name: s.GetName(),
					Kind:  strings.ToLower(strings.TrimPrefix(s.GetKind().String(), "SPAN_KIND_")),
					Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()), Parent: hex.EncodeToString(s.GetParentSpanId()),
					Attributes: attributes(s.GetAttributes()),
					Failed:     s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR,
				})
			}
		}
	}
}

func attributes(list []*commonpb.KeyValue) map[string]string {
	all := make(map[string]string, len(list))
	for _, a := range list {
		if text, ok := a.GetValue().GetValue().(*commonpb.AnyValue_StringValue); ok {
			all[a.GetKey()] = text.StringValue
			continue
		}
		all[a.GetKey()] = a.GetValue().String()
	}
	return all
}
