// Command todohub serves the todo area over gRPC on PostgreSQL.
package main

import (
	"context"
	"os"

	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hubserver"
	"example.com/hub/pkg/redis"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/todohub"
	"example.com/hub/services/todohub/store/postgres"
)

type serveConfig struct {
	Server   hubserver.Config
	Database pg.Config
	Redis    redis.Config
	Todo     todohub.Config
}

func main() {
	var toServe serveConfig
	var toMigrate hubserver.MigrateConfig
	os.Exit(cli.Program{
		Name:    "todohub",
		Summary: "the todo area of Hub, over gRPC on PostgreSQL.",
		Commands: []cli.Command{
			{
				Name: "serve", Help: "serves until SIGTERM", Settings: &toServe,
				Run: func(ctx context.Context, io cli.IO, _ []string) error { return serve(ctx, io, toServe) },
			},
			{
				Name: "migrate", Help: "brings the database up to date, and waits for it", Settings: &toMigrate,
				Run: func(ctx context.Context, io cli.IO, _ []string) error {
					return hubserver.Migrate(ctx, io.Err, toMigrate, postgres.Open)
				},
			},
		},
	}.Main())
}
