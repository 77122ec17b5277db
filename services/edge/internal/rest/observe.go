package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
)

// measure names all routes and adds their metrics.
func (h *Handler) measure(registry *telemetry.Registry) {
	names := make([]string, len(h.routes))
	for i, r := range h.routes {
		names[i] = r.name
	}
	requests := registry.HTTPRequests(names)
	for i, name := range names {
		h.routes[i].metrics = requests.Of(name)
	}
	h.unknown = route{name: telemetry.Other, metrics: requests.Of(telemetry.Other)}
}

// finish counts the request, ends its span and writes its line of the access log. Paths and queries
// hold the names of users, so neither is in them, but for the path of a request that has no route: somebody
// must find out who sends it. The cause of a failure has a line of its own.
func (h *Handler) finish(ctx context.Context, r *http.Request, x *exchange, span tracing.Span, start time.Time) {
	took := time.Since(start)
	x.route.metrics.Done(x.Status, took)
	span.Answered(x.route.name, x.Status, x.Client)
	h.logAudit(ctx, x)
	level := slog.LevelInfo
	if x.Status < http.StatusBadRequest || x.Status == http.StatusTooManyRequests {
		level = h.access.Level(ctx)
	}
	if !h.logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs,
		slog.String("route", x.route.name),
		slog.Int("status", x.Status),
		log.Duration(took),
		slog.String("client_id", x.Client),
		slog.String("address", h.remote(r)),
	)
	if x.route == &h.unknown {
		method := r.Method[:min(len(r.Method), maxMethod)]
		attrs = append(attrs, slog.String("method", method), slog.String("path", pathShown(r.URL.EscapedPath())))
	}
	h.logger.LogAttrs(ctx, level, "http request", attrs...)
}
