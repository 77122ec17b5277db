package tracing

import (
	"context"
	"net/http"
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
