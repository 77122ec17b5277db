package main

import (
	"context"
	"fmt"
	"log/slog"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/hubserver"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/ratelimit/redislimit"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/services/messagehub"
	"example.com/hub/services/messagehub/store/postgres"
)

func serve(ctx context.Context, io cli.IO, cfg serveConfig) error {
	logger := io.Logger(cfg.Server.Log)
	process, err := open(ctx, cfg, logger)
	if err != nil {
		return err
	}
	return process.Run(ctx)
}

func open(ctx context.Context, cfg serveConfig, logger *slog.Logger) (_ hubserver.Process, err error) {
	p := hubserver.Process{Config: cfg.Server, Logger: logger, Metrics: telemetry.New(), MaxReceive: cfg.Message.MaxReceive()}
	defer func() {
		if err != nil {
			_ = lifecycle.Stop(context.WithoutCancel(ctx), p.Parts...)
		}
	}()
	if p.Tracer, err = tracing.Open(ctx, cfg.Server.Trace, "messagehub", logger); err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, p.Tracer.Part())
	store, err := postgres.Open(ctx, pg.Deps{Config: cfg.Database, Metrics: p.Metrics, Tracer: p.Tracer, Logger: logger})
	if err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, lifecycle.Part{Name: "store", Stop: func(context.Context) error { store.Close(); return nil }})

	client, err := cfg.Redis.Open(logger)
	if err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, lifecycle.Closer("Redis", client))
	p.Buckets = redislimit.New(client, "hub")
	events, err := redisbus.New(redisbus.Deps{Client: client, Logger: logger, Tracer: p.Tracer})
	if err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, lifecycle.Part{Name: "bus", Stop: events.Close})
	events.Measure(p.Metrics)

	key, err := cfg.Internal.Key()
	if err != nil {
		return p, fmt.Errorf("HUB_INTERNAL_KEY_FILE: %w", err)
	}
	if key != "" {
		p.Verify = func(v auth.Verifier) (auth.Verifier, error) { return auth.WithInternalKey(v, key) }
	}
	if len(cfg.Internal.ClientNames) > 0 {
		p.Peers = &grpcserver.Peers{Names: cfg.Internal.ClientNames, Token: key != ""}
	}
	service, err := messagehub.New(messagehub.Deps{
		Config: cfg.Message, Store: store, Publisher: events, Log: store, Subscriber: events, Logger: logger,
	})
	if err != nil {
		return p, err
	}
	service.Measure(p.Metrics)
	p.Service = service
	p.Entries = service.Entries()
	p.Parts = append(p.Parts, lifecycle.Background("announcements and retention", service.Run))
	return p, nil
}
