// Package log builds the structured logger of a binary.
package log

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"example.com/hub/pkg/telemetry/requestid"
	"example.com/hub/pkg/telemetry/tracing"
)

// Config are the logger's settings.
type Config struct {
	Level  slog.Level `env:"HUB_LOG_LEVEL"         envDefault:"info" help:"least level that is logged: debug, info, warn or error"`
	Format string     `env:"HUB_LOG_FORMAT"        envDefault:"text" help:"text or json, one line an entry, on standard error"`
	Access Sample     `env:"HUB_ACCESS_LOG_SAMPLE" envDefault:"0"    help:"share of the requests that succeed, or that a limit refuses, which is logged at level info, 0 to 1; other failures always are"`
}

// Validate checks the format and the share.
func (c Config) Validate() error {
	var faults []error
	if c.Format != "text" && c.Format != "json" {
		faults = append(faults, fmt.Errorf("HUB_LOG_FORMAT: must be text or json, not %q", c.Format))
	}
	if !(c.Access >= 0 && c.Access <= 1) {
		faults = append(faults, fmt.Errorf("HUB_ACCESS_LOG_SAMPLE: must be from 0 to 1, not %v", float64(c.Access)))
	}
	return errors.Join(faults...)
}

// New makes a logger that writes to w. A line that is logged with the context of a request has the
// request's id, and those of its trace when it is traced.
func New(w io.Writer, c Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "json" {
		return slog.New(withRequest{slog.NewJSONHandler(w, options)})
	}
	return slog.New(withRequest{slog.NewTextHandler(w, options)})
}

// withRequest adds what the context of a line tells.
type withRequest struct{ slog.Handler }

// Handle implements slog.Handler.
func (h withRequest) Handle(ctx context.Context, r slog.Record) error {
	if id := requestid.From(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	if trace, span, ok := tracing.IDs(ctx); ok {
		r.AddAttrs(slog.String("trace_id", trace), slog.String("span_id", span))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h withRequest) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withRequest{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h withRequest) WithGroup(name string) slog.Handler {
	return withRequest{h.Handler.WithGroup(name)}
}
