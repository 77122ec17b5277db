package rest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"example.com/hub/pkg/telemetry"
)

// measure names all routes and adds their metrics.
func (h *Handler) measure(registry *telemetry.Registry) {
	names := make([]string, len(h.routes))
	for i, r := range h.routes {
		names[i] = r.method + " " + r.path
	}
	requests := registry.HTTPRequests(names)
	for i, name := range names {
		h.routes[i].name, h.routes[i].metrics = name, requests.Of(name)
	}
	h.unknown = route{name: telemetry.Other, metrics: requests.Of(telemetry.Other)}
}

// finish counts the request and writes its line of the access log. Paths and queries hold the names
// of users, so neither is in it. The cause of a failure has a line of its own.
func (h *Handler) finish(ctx context.Context, x *exchange, start time.Time) {
	took := time.Since(start)
	x.route.metrics.Done(x.status, took)
	level := slog.LevelDebug
	if x.status >= http.StatusBadRequest {
		level = slog.LevelInfo
	}
	if !h.logger.Enabled(ctx, level) {
		return
	}
	h.logger.LogAttrs(ctx, level, "http request",
		slog.String("route", x.route.name),
		slog.Int("status", x.status),
		slog.Duration("duration", took),
		slog.String("client_id", x.client),
	)
}
