// Package process is what all binaries of Hub are made of: a log, metrics and traces, listeners and
// their certificates, readiness, and the parts that run until they are stopped in the reverse order.
package process

import (
	"context"
	"log/slog"
	"net"
	"time"

	"example.com/hub/pkg/health"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/pkg/tlsfiles"
)

// Process is a process that is put together from Open on, and then runs. Its methods are not safe for
// concurrent use.
type Process struct {
	Logger  *slog.Logger
	Metrics *telemetry.Registry
	// Tracer is nil when there are no traces.
	Tracer *tracing.Tracer

	checks []health.Check
	// parts are what runs, in the order of their start.
	parts []lifecycle.Part
}

// Open begins a process with its traces, which end last. The name is the service's in them.
func Open(ctx context.Context, name string, traces tracing.Config, logger *slog.Logger) (*Process, error) {
	tracer, err := tracing.Open(ctx, traces, name, logger)
	if err != nil {
		return nil, err
	}
	p := &Process{Logger: logger, Metrics: telemetry.New(), Tracer: tracer}
	p.Add(tracer.Part())
	return p, nil
}

// Add takes parts, which are stopped before all that were added earlier.
func (p *Process) Add(parts ...lifecycle.Part) { p.parts = append(p.parts, parts...) }

// Check takes a condition of readiness, with its name in the reason.
func (p *Process) Check(name string, probe func(context.Context) error) {
	p.checks = append(p.checks, health.Check{Name: name, Probe: probe})
}

// TLS opens certificates; the side is their label in the metrics.
func (p *Process) TLS(side string, open func(*slog.Logger) (*tlsfiles.Files, error)) (*tlsfiles.Files, error) {
	files, err := open(p.Logger)
	if err != nil {
		return nil, err
	}
	files.Measure(p.Metrics, side)
	return files, nil
}

// Listen takes a port; an error names the setting that holds the address.
func (p *Process) Listen(ctx context.Context, setting, addr string) (net.Listener, error) {
	l, part, err := lifecycle.Listen(ctx, setting, addr)
	if err != nil {
		return nil, err
	}
	p.Add(part)
	return l, nil
}

// Admin takes the port for operators and probes, and serves it while the process runs. It comes after
// every Check, and before the parts that take calls.
func (p *Process) Admin(ctx context.Context, addr string, settings tlsfiles.AdminSettings) (net.Listener, *health.Health, error) {
	files, err := p.TLS("admin", settings.Open)
	if err != nil {
		return nil, nil, err
	}
	l, err := p.Listen(ctx, "HUB_ADMIN_ADDR", addr)
	if err != nil {
		return nil, nil, err
	}
	l = files.Listener(l)
	state := health.New(p.checks...)
	server := state.NewServer(p.Metrics.Handler())
	server.ErrorLog = slog.NewLogLogger(p.Logger.Handler(), slog.LevelDebug)
	p.Add(lifecycle.HTTP("admin", server, l), state.Probing())
	return l, state, nil
}

// Run serves until ctx ends or a part fails, then stops all parts, with grace for them together.
func (p *Process) Run(ctx context.Context, grace time.Duration) error {
	parts := p.parts
	p.parts = nil
	return lifecycle.Run(ctx, grace, parts...)
}

// Close stops what a process that did not run has opened; after Run it does nothing.
func (p *Process) Close(ctx context.Context) error {
	parts := p.parts
	p.parts = nil
	return lifecycle.Stop(context.WithoutCancel(ctx), parts...)
}
