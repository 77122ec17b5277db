package main

import (
	"context"
	"errors"
	"time"

	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/process"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/ratelimit/redislimit"
	"example.com/hub/services/edge"
	"example.com/hub/services/edge/internal/claim"
)

// stopTime is what a stop may take besides the drain: requests under way, and what is queued.
const stopTime = 15 * time.Second

// opening is an edge that is being put together.
type opening struct {
	*process.Process
	cfg  config
	deps edge.Deps
	bus  *redisbus.Bus
}

func serve(ctx context.Context, io cli.IO, cfg config) error {
	p, err := process.Open(ctx, "edge", cfg.Trace, io.Logger(cfg.Log))
	if err != nil {
		return err
	}
	o := &opening{Process: p, cfg: cfg, deps: edge.Deps{
		Config: cfg.Edge, Metrics: p.Metrics, Tracer: p.Tracer, Logger: p.Logger, Access: cfg.Log.Access,
	}}
	for _, step := range []func(context.Context) error{o.openBus, o.dialHubs, o.openTokens, o.openSessions, o.openUsers, o.openTickets, o.openEdge} {
		if err := step(ctx); err != nil {
			return errors.Join(err, p.Close(ctx))
		}
	}
	return p.Run(ctx, cfg.DrainDelay+cfg.Edge.DrainSpread+stopTime)
}

func (o *opening) openBus(context.Context) error {
	client, err := o.cfg.Redis.Open(o.Logger)
	if err != nil {
		return err
	}
	o.Add(lifecycle.Closer("Redis", client))
	events, err := redisbus.New(redisbus.Deps{Client: client, Logger: o.Logger})
	if err != nil {
		return err
	}
	o.Add(lifecycle.Part{Name: "bus", Stop: events.Close})
	events.Measure(o.Metrics)
	o.deps.Events, o.bus = events, events
	o.deps.Claims, err = claim.New(claim.Deps{Client: client, TTL: 3 * o.cfg.Edge.Heartbeat, Logger: o.Logger})
	if err != nil {
		return err
	}
	o.deps.Limiter = ratelimit.New(o.cfg.Limit, ratelimit.Deps{Shared: redislimit.New(client, "hub"), Logger: o.Logger})
	o.deps.Limiter.Measure(o.Metrics)
	return nil
}

func (o *opening) openTokens(context.Context) error {
	own := edge.IssuerDeps{Logger: o.Logger, Public: !edge.Loopback(o.cfg.HTTPAddr)}
	return o.deps.OpenTokens(o.Process, o.cfg.Auth, own, o.cfg.HTTPAddr)
}

// openSessions lets users log in where there are keys for their cookies.
func (o *opening) openSessions(context.Context) error {
	if o.cfg.Edge.Browser.Secrets.File == "" {
		return nil
	}
	return o.deps.OpenSessions(o.Process, o.bus, o.cfg.Auth.PublicURL, false)
}

func (o *opening) openUsers(context.Context) error {
	return o.deps.OpenUsers(o.Process, o.cfg.Auth.PublicURL)
}

func (o *opening) openTickets(context.Context) error {
	return o.deps.OpenTickets(o.Process, o.cfg.Auth.PublicURL, false)
}

// openEdge opens the listeners last. Readiness does not wait for the hubs, which may wait for this
// edge's signing keys; while a hub is away its area answers 503.
func (o *opening) openEdge(ctx context.Context) error {
	files, err := o.TLS("server", o.cfg.TLS.Open)
	if err != nil {
		return err
	}
	public, err := o.Listen(ctx, "HUB_HTTP_ADDR", o.cfg.HTTPAddr)
	if err != nil {
		return err
	}
	admin, state, err := o.Admin(ctx, o.cfg.AdminAddr, o.cfg.AdminTLS)
	if err != nil {
		return err
	}
	e, err := edge.New(o.deps)
	if err != nil {
		return err
	}
	o.Add(e.Parts(edge.Listener(public, files), o.Logger)...)
	o.Add(
		state.Draining(o.cfg.DrainDelay),
		lifecycle.Part{Name: "connections", Stop: func(context.Context) error { e.Drain(); return nil }},
	)
	o.Logger.InfoContext(ctx, "serving", "http", public.Addr().String(), "tls", files != nil, "admin", admin.Addr().String())
	return nil
}
