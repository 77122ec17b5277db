// Command todohub serves the todo area over gRPC on PostgreSQL.
package main

import (
	"context"
	"os"

	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hubserver"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/pgcall"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/services/todohub"
	"example.com/hub/services/todohub/store/postgres"
)

// maxReceive is far above the largest legal upsert.
const maxReceive = 1 << 20

type serveConfig struct {
	Server   hubserver.Config
	Database postgres.Config
	Todo     todohub.Config
}

type migrateConfig struct {
	Database postgres.Config
}

func main() {
	var toServe serveConfig
	var toMigrate migrateConfig
	os.Exit(cli.Program{
		Name:    "todohub",
		Summary: "the todo area of Hub, over gRPC on PostgreSQL.",
		Commands: []cli.Command{
			{
				Name: "serve", Help: "serves until SIGTERM", Settings: &toServe,
				Run: func(ctx context.Context, io cli.IO, _ []string) error { return serve(ctx, io, toServe) },
			},
			{
				Name: "migrate", Help: "brings the database up to date", Settings: &toMigrate,
				Run: func(ctx context.Context, _ cli.IO, _ []string) error { return migrate(ctx, toMigrate) },
			},
		},
	}.Main())
}

func serve(ctx context.Context, io cli.IO, cfg serveConfig) error {
	logger := log.New(io.Err, cfg.Server.Log)
	store, err := postgres.Open(ctx, cfg.Database)
	if err != nil {
		return err
	}
	closing := lifecycle.Part{Name: "store", Stop: func(context.Context) error { store.Close(); return nil }}
	service, err := todohub.New(todohub.Deps{Config: cfg.Todo, Store: store, Logger: logger})
	if err != nil {
		store.Close()
		return err
	}
	metrics := telemetry.New()
	pgcall.Measure(metrics, store.Stats)
	return hubserver.Process{
		Config: cfg.Server, Logger: logger, Service: service, MaxReceive: maxReceive,
		Metrics: metrics,
		Parts:   []lifecycle.Part{closing},
	}.Run(ctx)
}

func migrate(ctx context.Context, cfg migrateConfig) error {
	store, err := postgres.Open(ctx, cfg.Database)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Migrate(ctx)
}
