// Command todohub serves the todo area over gRPC on PostgreSQL.
package main

import (
	"context"
	"os"

	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hubserver"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub"
	"example.com/hub/services/todohub/store/postgres"
)

type serveConfig struct {
	Server   hubserver.Config
	Database pg.Config
	Redis    redisConfig
	Todo     todohub.Config
}

type migrateConfig struct {
	Database pg.Config
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

func migrate(ctx context.Context, cfg migrateConfig) error {
	store, err := postgres.Open(ctx, pg.Deps{Config: cfg.Database})
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Migrate(ctx)
}
