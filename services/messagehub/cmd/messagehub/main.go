// Command messagehub serves the message area over gRPC on PostgreSQL and announces its events on
// Redis.
package main

import (
	"context"
	"os"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hubserver"
	"example.com/hub/services/messagehub"
	"example.com/hub/services/messagehub/store/postgres"
)

type serveConfig struct {
	Server   hubserver.Config
	Database postgres.Config
	Redis    redisbus.Config
	Internal auth.InternalSettings
	Message  messagehub.Config
}

type migrateConfig struct {
	Database postgres.Config
}

func main() {
	var toServe serveConfig
	var toMigrate migrateConfig
	os.Exit(cli.Program{
		Name:    "messagehub",
		Summary: "the message area of Hub, over gRPC on PostgreSQL, with its events on Redis.",
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
	store, err := postgres.Open(ctx, cfg.Database)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Migrate(ctx)
}
