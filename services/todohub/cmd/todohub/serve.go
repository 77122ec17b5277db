package main

import (
	"context"
	"log/slog"

	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hubserver"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/ratelimit/redislimit"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/services/todohub"
	"example.com/hub/services/todohub/store/postgres"
)

// maxReceive is above what an edge sends of the largest body by default, so that a fault names the field
// that is too long, as in the binary hub.
const maxReceive = 4<<20 + 64<<10

func serve(ctx context.Context, io cli.IO, cfg serveConfig) error {
	logger := io.Logger(cfg.Server.Log)
	process, err := open(ctx, cfg, logger)
	if err != nil {
		return err
	}
	return process.Run(ctx)
}

func open(ctx context.Context, cfg serveConfig, logger *slog.Logger) (_ hubserver.Process, err error) {
	p := hubserver.Process{Config: cfg.Server, Logger: logger, Metrics: telemetry.New(), MaxReceive: maxReceive}
	defer func() {
		if err != nil {
			_ = lifecycle.Stop(context.WithoutCancel(ctx), p.Parts...)
		}
	}()
	if p.Tracer, err = tracing.Open(ctx, cfg.Server.Trace, "todohub", logger); err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, p.Tracer.Part())
	store, err := postgres.Open(ctx, pg.Deps{Config: cfg.Database, Metrics: p.Metrics, Tracer: p.Tracer, Logger: logger})
	if err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, lifecycle.Part{Name: "store", Stop: func(context.Context) error { store.Close(); return nil }})
	if cfg.Server.Limit.On() {
		client, err := cfg.Redis.Open(logger)
		if err != nil {
			return p, err
		}
		p.Parts = append(p.Parts, lifecycle.Closer("Redis", client))
		p.Buckets = redislimit.New(client, "hub")
	}
	service, err := todohub.New(todohub.Deps{Config: cfg.Todo, Store: store, Logger: logger})
	if err != nil {
		return p, err
	}
	service.Measure(p.Metrics)
	p.Service = service
	p.Parts = append(p.Parts, lifecycle.Background("retention", service.Run))
	return p, nil
}
