package tracing

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"example.com/hub/pkg/telemetry"
)

// clientID is the attribute with the id of a verified caller, which is a system and no person.
const clientID = attribute.Key("hub.client_id")

// Request begins the span of an HTTP request, in the trace of its caller if there is one.
func (t *Tracer) Request(ctx context.Context, header http.Header) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx = propagator.Extract(ctx, propagation.HeaderCarrier(header))
	ctx, span := t.tracer.Start(ctx, "HTTP", trace.WithSpanKind(trace.SpanKindServer))
	return ctx, Span{span}
}

// Answered ends the span of an HTTP request. The route is the method and the template of the path, or
// telemetry.Other; the client is the id of a verified caller.
func (s Span) Answered(route string, status int, client string) {
	if s.span == nil {
		return
	}
	defer s.span.End()
	if !s.span.IsRecording() {
		return
	}
	if method, path, ok := strings.Cut(route, " "); ok && route != telemetry.Other {
		s.span.SetName(route)
		s.span.SetAttributes(semconv.HTTPRequestMethodKey.String(method), semconv.HTTPRoute(path))
	}
	s.span.SetAttributes(semconv.HTTPResponseStatusCode(status))
	if client != "" {
		s.span.SetAttributes(clientID.String(client))
	}
	if status >= http.StatusInternalServerError {
		s.span.SetAttributes(semconv.ErrorTypeKey.String(strconv.Itoa(status)))
		s.span.SetStatus(codes.Error, "")
	}
}

// methods are those that may name a span; callers make others up (OpenTelemetry, HTTP spans).
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// Ask begins the span of an HTTP request to another system, in the trace of ctx, and hands that on in the
// request's header. Without a Tracer the header stays as it is.
func (t *Tracer) Ask(ctx context.Context, method string, header http.Header) Span {
	if t == nil {
		return Span{}
	}
	name, known := method, method
	if !slices.Contains(methods, method) {
		name, known = "HTTP", "_OTHER"
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(semconv.HTTPRequestMethodKey.String(known)))
	header.Del("traceparent")
	header.Del("tracestate")
	propagator.Inject(ctx, propagation.HeaderCarrier(header))
	return Span{span}
}

// Replied ends the span of Ask. The status is 0 where there was no answer; failed says that there was none, or
// not all of it.
func (s Span) Replied(status int, failed bool) {
	if s.span == nil {
		return
	}
	defer s.span.End()
	reason := semconv.ErrorTypeOther.Value.AsString()
	if status != 0 {
		s.span.SetAttributes(semconv.HTTPResponseStatusCode(status))
		if status >= http.StatusBadRequest && !failed {
			failed, reason = true, strconv.Itoa(status)
		}
	}
	if failed {
		s.span.SetAttributes(semconv.ErrorTypeKey.String(reason))
		s.span.SetStatus(codes.Error, "")
	}
}
