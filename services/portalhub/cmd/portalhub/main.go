// Command portalhub serves the people of the portal, their sessions, apps and files over gRPC on PostgreSQL.
package main

import (
	"context"
	"errors"
	"os"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hub"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/ratelimit/redislimit"
	"example.com/hub/pkg/redis"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/store/postgres"
)

type config struct {
	Hub      hub.Config
	Redis    redis.Config
	Internal internalkey.ServerSettings `group:"Calls of the edges"`
	Portal   portalhub.Config
	Files    filesConfig `group:"Files"`
}

// Validate wants the edges to be known by something: sessions are for them only.
func (c config) Validate() error {
	return errors.Join(c.Internal.Need(), c.Hub.CheckEdges(c.Internal))
}

func main() {
	os.Exit(hub.Program[config, *postgres.Store]{
		Name:    "portalhub",
		Summary: "the people of the portal, their sessions, apps and files, over gRPC on PostgreSQL.",
		Serve:   serve,
		Open:    postgres.Open,
	}.Main())
}

func serve(ctx context.Context, io cli.IO, cfg config) (err error) {
	h, err := hub.Open(ctx, "portalhub", cfg.Hub, io)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	store, err := hub.Database(ctx, h, postgres.Open)
	if err != nil {
		return err
	}
	if cfg.Hub.Limit.On() {
		client, err := cfg.Redis.Open(h.Logger)
		if err != nil {
			return err
		}
		h.Add(lifecycle.Closer("Redis", client))
		h.Buckets = redislimit.New(client, "hub")
	}
	if err := h.AdmitEdges(cfg.Internal); err != nil {
		return err
	}
	h.MaxReceive = cfg.Portal.MaxReceive()
	files, err := cfg.Files.open(h.Process)
	if err != nil {
		return err
	}
	service, err := portalhub.New(portalhub.Deps{Config: cfg.Portal, Store: store, Blobs: files, Logger: h.Logger})
	if err != nil {
		return err
	}
	return h.Serve(ctx, service)
}
