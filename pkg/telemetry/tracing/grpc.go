package tracing

import (
	"context"
	"strconv"
	"strings"

	otelcodes "go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Call begins the span of a gRPC call in the server, in the trace of its caller if there is one. A call
// that must be within a trace has no span otherwise.
func (t *Tracer) Call(ctx context.Context, method string, within bool) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx = propagator.Extract(ctx, incoming{ctx})
	if within && !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, Span{}
	}
	return t.call(ctx, method, trace.SpanKindServer)
}

func (t *Tracer) call(ctx context.Context, method string, kind trace.SpanKind) (context.Context, Span) {
	name := strings.TrimPrefix(method, "/")
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind),
		trace.WithAttributes(semconv.RPCSystemNameGRPC, semconv.RPCMethod(name)))
	return ctx, Span{span}
}

// Served ends the span of a call in the server; the client is the id of a verified caller. A failure
// that is the caller's own is none of the span.
func (s Span) Served(code codes.Code, client string) {
	if s.span == nil {
		return
	}
	if client != "" {
		s.span.SetAttributes(clientID.String(client))
	}
	switch code {
	case codes.Unknown, codes.DeadlineExceeded, codes.Unimplemented, codes.Internal, codes.Unavailable, codes.DataLoss:
		s.returned(code, true)
	default:
		s.returned(code, false)
	}
}

// returned ends the span of a call.
func (s Span) returned(code codes.Code, failed bool) {
	name := nameOf(code)
	s.span.SetAttributes(semconv.RPCResponseStatusCode(name))
	if failed {
		s.span.SetAttributes(semconv.ErrorTypeKey.String(name))
		s.span.SetStatus(otelcodes.Error, "")
	}
	s.span.End()
}

// statusNames are the names of gRPC's specification; a code's String is in Go's style.
var statusNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

func nameOf(code codes.Code) string {
	if int(code) < len(statusNames) {
		return statusNames[code]
	}
	return strconv.Itoa(int(code))
}

// Conn traces the calls of a connection and hands the trace on. A call that belongs to no request has
// no span.
func (t *Tracer) Conn(c grpc.ClientConnInterface) grpc.ClientConnInterface {
	if t == nil {
		return c
	}
	return conn{c, t}
}

type conn struct {
	grpc.ClientConnInterface
	tracer *Tracer
}

// Invoke implements grpc.ClientConnInterface.
func (c conn) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return c.ClientConnInterface.Invoke(ctx, method, args, reply, opts...)
	}
	ctx, span := c.tracer.call(ctx, method, trace.SpanKindClient)
	var trail outgoing
	propagator.Inject(ctx, &trail)
	ctx = metadata.AppendToOutgoingContext(ctx, trail...)
	err := c.ClientConnInterface.Invoke(ctx, method, args, reply, opts...)
	code := status.Code(err)
	span.returned(code, code != codes.OK)
	return err
}

// incoming reads the metadata of a call.
type incoming struct {
	ctx context.Context //nolint:containedctx // gRPC keeps the metadata there
}

// Get implements propagation.TextMapCarrier.
func (c incoming) Get(key string) string {
	if values := metadata.ValueFromIncomingContext(c.ctx, key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// Set implements propagation.TextMapCarrier; nothing is written here.
func (incoming) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (c incoming) Keys() []string {
	md, _ := metadata.FromIncomingContext(c.ctx)
	keys := make([]string, 0, len(md))
	for key := range md {
		keys = append(keys, key)
	}
	return keys
}

// outgoing collects names and values in turn.
type outgoing []string

// Get implements propagation.TextMapCarrier; nothing is read here.
func (*outgoing) Get(string) string { return "" }

// Set implements propagation.TextMapCarrier.
func (c *outgoing) Set(key, value string) { *c = append(*c, key, value) }

// Keys implements propagation.TextMapCarrier; nothing is read here.
func (*outgoing) Keys() []string { return nil }
