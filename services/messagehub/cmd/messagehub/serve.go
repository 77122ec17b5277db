package main

import (
	"context"
	"fmt"
	"log/slog"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hubserver"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/pgcall"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/services/messagehub"
	"example.com/hub/services/messagehub/store/postgres"
)

func serve(ctx context.Context, io cli.IO, cfg serveConfig) error {
	logger := log.New(io.Err, cfg.Server.Log)
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
	store, err := postgres.Open(ctx, cfg.Database)
	if err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, lifecycle.Part{Name: "store", Stop: func(context.Context) error { store.Close(); return nil }})

	client, err := cfg.Redis.Open()
	if err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, lifecycle.Closer("Redis", client))
	events, err := redisbus.New(redisbus.Deps{Client: client, Logger: logger})
	if err != nil {
		return p, err
	}
	p.Parts = append(p.Parts, lifecycle.Part{Name: "bus", Stop: events.Close})
	pgcall.Measure(p.Metrics, store.Stats)
	events.Measure(p.Metrics)

	key, err := cfg.Internal.Key()
	if err != nil {
		return p, fmt.Errorf("HUB_INTERNAL_KEY_FILE: %w", err)
	}
	p.Verify = func(v auth.Verifier) (auth.Verifier, error) { return auth.WithInternalKey(v, key) }
	service, err := messagehub.New(messagehub.Deps{
		Config: cfg.Message, Store: store, Publisher: events, Log: store, Subscriber: events, Logger: logger,
	})
	if err != nil {
		return p, err
	}
	service.Measure(p.Metrics)
	p.Service = service
	p.Parts = append(p.Parts, lifecycle.Background("announcements", service.Run))
	return p, nil
}
