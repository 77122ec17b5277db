// Command messagehub serves the message area over gRPC on PostgreSQL and announces its events on
// Redis.
package main

import (
	"context"
	"errors"
	"os"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hubserver"
	"example.com/hub/pkg/redis"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/services/messagehub"
	"example.com/hub/services/messagehub/store/postgres"
)

type serveConfig struct {
	Server   hubserver.Config
	Database pg.Config
	Redis    redis.Config
	Internal auth.InternalServerSettings
	Message  messagehub.Config
}

// Validate wants certificates to be verified where names of them matter.
func (c serveConfig) Validate() error {
	if len(c.Internal.ClientNames) > 0 && c.Server.TLS.ClientCAFile == "" {
		return errors.New("HUB_INTERNAL_CLIENT_NAMES: needs HUB_TLS_CLIENT_CA_FILE")
	}
	return nil
}

func main() {
	var toServe serveConfig
	var toMigrate hubserver.MigrateConfig
	os.Exit(cli.Program{
		Name:    "messagehub",
		Summary: "the message area of Hub, over gRPC on PostgreSQL, with its events on Redis.",
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
