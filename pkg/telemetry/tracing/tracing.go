// Package tracing makes the traces of a process with OpenTelemetry: a span for each HTTP request, gRPC
// call, database statement and publication of a request. Only pkg/telemetry knows OpenTelemetry.
//
// Spans have the names of routes, methods and statements, and never a path, a query, a token, a body
// or the name of a user. A nil *Tracer makes none and costs nothing.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/version"
)

// flushTime bounds how long a stop waits for the collector.
const flushTime = 2 * time.Second

// propagator carries a trace between processes: W3C traceparent and tracestate.
var propagator propagation.TraceContext

// Tracer makes the spans of a process. Nil is one that makes none.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	logger   *slog.Logger
}

// Open makes a tracer, or nil when the settings ask for none. The name is the service's where the
// settings have no other. Spans go to the collector in the background, and are dropped when it does not
// keep up or is away; the logger hears of that.
func Open(ctx context.Context, c Config, name string, logger *slog.Logger) (*Tracer, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if !c.enabled() {
		return nil, nil
	}
	exporter, err := c.exporter(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the exporter of traces: %w", err)
	}
	// What the settings say overrides what stands before.
	process, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName(name), semconv.ServiceVersion(version.Number())), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe the process for traces: %w", err)
	}
	// The SDK has one handler for the process.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		logger.Warn("OpenTelemetry", slog.Any("error", err))
	}))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(process))
	return &Tracer{
		provider: provider,
		tracer:   provider.Tracer("example.com/hub", trace.WithInstrumentationVersion(version.Number())),
		logger:   logger,
	}, nil
}

func (c Config) exporter(ctx context.Context) (*otlptrace.Exporter, error) {
	endpoint := c.endpoint()
	if c.protocol() == protocolGRPC {
		var options []otlptracegrpc.Option
		if endpoint != "" {
			options = append(options, otlptracegrpc.WithEndpointURL(endpoint))
		}
		return otlptracegrpc.New(ctx, options...)
	}
	var options []otlptracehttp.Option
	if endpoint != "" {
		options = append(options, otlptracehttp.WithEndpointURL(endpoint))
	}
	return otlptracehttp.New(ctx, options...)
}

// Part sends the last spans when it is stopped, which should come after everything that makes spans.
// A collector that is away does not make the stop fail.
func (t *Tracer) Part() lifecycle.Part {
	return lifecycle.Part{Name: "traces", Stop: func(ctx context.Context) error {
		if t == nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, flushTime)
		defer cancel()
		if err := t.provider.Shutdown(ctx); err != nil {
			t.logger.WarnContext(ctx, "the last traces are lost", slog.Any("error", err))
		}
		return nil
	}}
}

// Span is one step of a trace; the zero Span is none.
type Span struct{ span trace.Span }

// Recording tells whether anybody will see the span.
func (s Span) Recording() bool { return s.span != nil && s.span.IsRecording() }

// IDs gives the ids of the trace and the span of ctx when they are recorded.
func IDs(ctx context.Context) (traceID, spanID string, ok bool) {
	c := trace.SpanContextFromContext(ctx)
	if !c.IsSampled() {
		return "", "", false
	}
	return c.TraceID().String(), c.SpanID().String(), true
}
