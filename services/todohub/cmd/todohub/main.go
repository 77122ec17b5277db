// Command todohub serves the todo area over gRPC on PostgreSQL.
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
	"example.com/hub/services/todohub"
	"example.com/hub/services/todohub/store/postgres"
)

type config struct {
	Hub      hub.Config
	Redis    redis.Config
	Internal internalkey.ServerSettings `group:"Calls of the edges"`
	Todo     todohub.Config
}

// Validate wants certificates to be verified where names of them matter. Without edges that are known there
// are no users here.
func (c config) Validate() error { return c.Hub.CheckEdges(c.Internal) }

func main() {
	os.Exit(hub.Program[config, *postgres.Store]{
		Name:    "todohub",
		Summary: "the todo area of Hub, over gRPC on PostgreSQL.",
		Serve:   serve,
		Open:    postgres.Open,
	}.Main())
}

func serve(ctx context.Context, io cli.IO, cfg config) (err error) {
	h, err := hub.Open(ctx, "todohub", cfg.Hub, io)
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
	h.MaxReceive = cfg.Todo.MaxReceive()
	service, err := todohub.New(todohub.Deps{Config: cfg.Todo, Store: store, Logger: h.Logger})
	if err != nil {
		return err
	}
	return h.Serve(ctx, service)
}
