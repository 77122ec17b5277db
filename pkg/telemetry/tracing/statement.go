package tracing

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// Statement is a statement of PostgreSQL that ended just now.
type Statement struct {
	// Database is its name; empty when there is none.
	Database string
	// Name is the statement's own, insert_push for example.
	Name string
	// Began is when it was sent.
	Began time.Time
	// Rows is how many it answered or changed.
	Rows int64
	// Err is why it failed, or nil. Its text, which may hold values, stays here.
	Err error
}

// Statement adds a statement to the trace of ctx. One that belongs to no request has no span.
func (t *Tracer) Statement(ctx context.Context, s Statement) {
	if t == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return
	}
	_, span := t.tracer.Start(ctx, s.Name, trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(s.Began),
		trace.WithAttributes(semconv.DBSystemNamePostgreSQL, semconv.DBQuerySummary(s.Name), semconv.DBResponseReturnedRows(int(s.Rows))))
	defer span.End()
	if s.Database != "" {
		span.SetAttributes(semconv.DBNamespace(s.Database))
	}
	if s.Err != nil {
		reason := reasonOf(s.Err)
		span.SetAttributes(semconv.ErrorTypeKey.String(reason))
		span.SetStatus(codes.Error, "")
	}
}

// reasonOf is the server's code of an error, or a word for it.
func reasonOf(err error) string {
	var coded interface{ SQLState() string }
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline exceeded"
	case errors.As(err, &coded):
		return coded.SQLState()
	default:
		return semconv.ErrorTypeOther.Value.AsString()
	}
}

// Publish begins the span of handing events to a message system, in the trace of ctx. What belongs to no
// request has no span.
func (t *Tracer) Publish(ctx context.Context, system, channel string, events int) Span {
	if t == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return Span{}
	}
	_, span := t.tracer.Start(ctx, "publish "+channel, trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(
			semconv.MessagingSystemKey.String(system), semconv.MessagingOperationName("publish"), semconv.MessagingOperationTypeSend,
			semconv.MessagingDestinationName(channel), semconv.MessagingBatchMessageCount(events)))
	return Span{span}
}

// Published ends the span of Publish.
func (s Span) Published(ok bool) {
	if s.span == nil {
		return
	}
	if !ok {
		s.span.SetAttributes(semconv.ErrorTypeOther)
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}
