// Package log builds the structured logger of a binary.
package log

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"example.com/hub/pkg/telemetry/requestid"
)

// Config are the logger's settings.
type Config struct {
	Level  slog.Level `env:"HUB_LOG_LEVEL"  envDefault:"info" help:"least level that is logged: debug, info, warn or error"`
	Format string     `env:"HUB_LOG_FORMAT" envDefault:"text" help:"text or json, one line an entry, on standard error"`
}

// Validate checks the format.
func (c Config) Validate() error {
	if c.Format != "text" && c.Format != "json" {
		return fmt.Errorf("HUB_LOG_FORMAT: must be text or json, not %q", c.Format)
	}
	return nil
}

// New makes a logger that writes to w. A line that is logged with the context of a request has the
// request's id.
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
