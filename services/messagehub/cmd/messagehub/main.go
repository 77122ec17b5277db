// Command messagehub serves the message area over gRPC on PostgreSQL and announces its events on
// Redis.
package main

import (
	"context"
	"errors"
	"os"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/hub"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/ratelimit/redislimit"
	"example.com/hub/pkg/redis"
	"example.com/hub/services/messagehub"
	"example.com/hub/services/messagehub/store/postgres"
)

type config struct {
	Hub      hub.Config
	Redis    redis.Config
	Internal internalkey.ServerSettings `group:"Calls of the edges"`
	Message  messagehub.Config
}

// Validate wants the edges to be known by something: they ask for events.
func (c config) Validate() error {
	return errors.Join(c.Internal.Need(), c.Hub.CheckEdges(c.Internal))
}

func main() {
	os.Exit(hub.Program[config, *postgres.Store]{
		Name:    "messagehub",
		Summary: "the message area of Hub, over gRPC on PostgreSQL, with its events on Redis.",
		Serve:   serve,
		Open:    postgres.Open,
	}.Main())
}

func serve(ctx context.Context, io cli.IO, cfg config) (err error) {
	h, err := hub.Open(ctx, "messagehub", cfg.Hub, io)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	store, err := hub.Database(ctx, h, postgres.Open)
	if err != nil {
		return err
	}
	client, err := cfg.Redis.Open(h.Logger)
	if err != nil {
		return err
	}
	h.Add(lifecycle.Closer("Redis", client))
	h.Buckets = redislimit.New(client, "hub")
	events, err := redisbus.New(redisbus.Deps{Client: client, Logger: h.Logger, Tracer: h.Tracer})
	if err != nil {
		return err
	}
	h.Add(lifecycle.Part{Name: "bus", Stop: events.Close})
	events.Measure(h.Metrics)
	if err := h.AdmitEdges(cfg.Internal); err != nil {
		return err
	}
	h.MaxReceive = cfg.Message.MaxReceive()
	service, err := messagehub.New(messagehub.Deps{
		Config: cfg.Message, Store: store, Publisher: events, Log: store, Subscriber: events, Logger: h.Logger,
	})
	if err != nil {
		return err
	}
	return h.Serve(ctx, service)
}
