package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/health"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/ratelimit/redislimit"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/services/edge"
	"example.com/hub/services/edge/internal/claim"
)

// stopTime is what a stop may take besides the drain: requests under way, and what is queued.
const stopTime = 15 * time.Second

// process is an edge that is being put together.
type process struct {
	cfg     config
	logger  *slog.Logger
	metrics *telemetry.Registry

	deps   edge.Deps
	checks []health.Check
	// parts are what runs, in the order of their start.
	parts []lifecycle.Part
}

func serve(ctx context.Context, io cli.IO, cfg config) error {
	p := &process{cfg: cfg, logger: io.Logger(cfg.Log), metrics: telemetry.New()}
	for _, step := range []func(context.Context) error{p.openTracer, p.openBus, p.dialHubs, p.openTokens, p.openEdge} {
		if err := step(ctx); err != nil {
			return errors.Join(err, lifecycle.Stop(context.WithoutCancel(ctx), p.parts...))
		}
	}
	return lifecycle.Run(ctx, cfg.DrainDelay+cfg.Edge.DrainSpread+stopTime, p.parts...)
}

func (p *process) add(parts ...lifecycle.Part) { p.parts = append(p.parts, parts...) }

// openTracer comes first, so that its end comes last.
func (p *process) openTracer(ctx context.Context) (err error) {
	p.deps.Tracer, err = tracing.Open(ctx, p.cfg.Trace, "edge", p.logger)
	p.add(p.deps.Tracer.Part())
	return err
}

func (p *process) openBus(context.Context) error {
	client, err := p.cfg.Redis.Open(p.logger)
	if err != nil {
		return err
	}
	p.add(lifecycle.Closer("Redis", client))
	events, err := redisbus.New(redisbus.Deps{Client: client, Logger: p.logger})
	if err != nil {
		return err
	}
	p.add(lifecycle.Part{Name: "bus", Stop: events.Close})
	events.Measure(p.metrics)
	p.deps.Events = events
	p.deps.Claims, err = claim.New(claim.Deps{Client: client, TTL: 3 * p.cfg.Edge.Heartbeat, Logger: p.logger})
	if err != nil {
		return err
	}
	p.deps.Limiter = ratelimit.New(p.cfg.Limit, ratelimit.Deps{Shared: redislimit.New(client, "hub"), Logger: p.logger})
	p.deps.Limiter.Measure(p.metrics)
	return nil
}

func (p *process) dialHubs(context.Context) error {
	files, err := p.cfg.Hubs.Open(p.logger)
	if err != nil {
		return err
	}
	files.Measure(p.metrics, "client")
	todo, err := p.dial("todo", edge.Target{Address: p.cfg.TodohubTarget, ServerName: p.cfg.TodohubName, TLS: files})
	if err != nil {
		return fmt.Errorf("HUB_TODOHUB_TARGET: %w", err)
	}
	p.deps.Todo = p.deps.Tracer.Conn(todo)
	messages, err := p.dial("message", edge.Target{Address: p.cfg.MessagehubTarget, ServerName: p.cfg.MessagehubName, TLS: files})
	if err != nil {
		return fmt.Errorf("HUB_MESSAGEHUB_TARGET: %w", err)
	}
	p.deps.Messages = p.deps.Tracer.Conn(messages)
	key, err := p.cfg.Internal.Key()
	if err != nil {
		return fmt.Errorf("HUB_INTERNAL_KEY_FILE: %w", err)
	}
	p.deps.EventLog = edge.NewEventLog(messages, key)
	return nil
}

func (p *process) dial(area string, t edge.Target) (*grpc.ClientConn, error) {
	t.Area, t.Replicas, t.MaxReceive, t.Metrics, t.Logger = area, p.cfg.Replicas, p.cfg.Edge.MaxReceive(), p.metrics, p.logger
	conn, err := edge.Dial(t)
	if err != nil {
		return nil, err
	}
	p.add(lifecycle.Closer(area+"hub", conn))
	return conn, nil
}

// openTokens opens Hub's own issuer, or what stands in for an outside one.
func (p *process) openTokens(context.Context) error {
	if p.cfg.Auth.IssuerURL == "" {
		issuer, err := edge.OpenIssuer(p.cfg.Edge, edge.IssuerDeps{Logger: p.logger, Public: !edge.Loopback(p.cfg.HTTPAddr)})
		if err != nil {
			return err
		}
		p.deps.Issuer, p.deps.Hosts = issuer, edge.DemoHosts(issuer, p.cfg.HTTPAddr)
		p.verify(p.cfg.Auth.Verifier(auth.LocalKeys(issuer.Keys)))
		return nil
	}
	forwarder, err := edge.NewForwarder(p.cfg.Edge, edge.ForwarderDeps{Issuer: p.cfg.Auth.IssuerURL, Logger: p.logger})
	if err != nil {
		return err
	}
	p.deps.Forwarder = forwarder
	verifier, keys := p.cfg.Auth.Open(p.logger)
	p.verify(verifier)
	keys.Measure(p.metrics)
	p.checks = append(p.checks, health.Check{Name: "signing keys", Probe: keys.Ready})
	p.add(lifecycle.Part{Name: "signing keys", Stop: func(context.Context) error {
		forwarder.Close()
		keys.Close()
		return nil
	}})
	return nil
}

func (p *process) verify(v *auth.TokenVerifier) {
	v.Measure(p.metrics)
	p.deps.Verifier = v
}

// openEdge opens the listeners last. Readiness does not wait for the hubs, which may wait for this
// edge's signing keys; while a hub is away its area answers 503.
func (p *process) openEdge(ctx context.Context) error {
	public, admin, err := p.listen(ctx)
	if err != nil {
		return err
	}
	p.deps.Config, p.deps.Metrics, p.deps.Logger, p.deps.Access = p.cfg.Edge, p.metrics, p.logger, p.cfg.Log.Access
	e, err := edge.New(p.deps)
	if err != nil {
		return err
	}
	state := health.New(p.checks...)
	probes := state.NewServer(p.metrics.Handler())
	probes.ErrorLog = slog.NewLogLogger(p.logger.Handler(), slog.LevelDebug)
	p.add(
		lifecycle.HTTP("admin", probes, admin),
		state.Probing(),
		lifecycle.Background("events", e.Run),
		lifecycle.HTTP("REST", e.NewServer(p.logger), public),
		lifecycle.Part{Name: "streams", Stop: e.Shutdown},
		state.Draining(p.cfg.DrainDelay),
		lifecycle.Part{Name: "connections", Stop: func(context.Context) error { e.Drain(); return nil }},
	)
	p.logger.InfoContext(ctx, "serving",
		"http", public.Addr().String(), "tls", p.cfg.TLS.CertFile != "", "admin", admin.Addr().String())
	return nil
}
