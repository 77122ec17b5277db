// Package log builds the structured logger of a binary.
package log

import (
	"fmt"
	"io"
	"log/slog"
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

// New makes a logger that writes to w.
func New(w io.Writer, c Config) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.Level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
