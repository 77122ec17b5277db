package grpcserver

import (
	"context"
	"log/slog"

	"example.com/hub/pkg/telemetry/tracing"
)

// trace begins the span of a call, which Served ends. Health and reflection have none, and neither have
// the edges' own calls for events, which come every second, unless they are made for a request.
func (i *interceptor) trace(ctx context.Context, method string, open bool) (context.Context, tracing.Span) {
	if open {
		return ctx, tracing.Span{}
	}
	return i.tracer.Call(ctx, method, i.policy[method].Internal)
}

// successLevel is the level of a success in the log. The share is one of the callers' requests, not of
// probes and of what the edges ask for.
func (i *interceptor) successLevel(ctx context.Context, method string) slog.Level {
	if rule, listed := i.policy[method]; !listed || rule.Internal {
		return slog.LevelDebug
	}
	return i.access.Level(ctx)
}
