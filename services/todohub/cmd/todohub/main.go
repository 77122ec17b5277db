// Command todohub serves the todo area over gRPC on PostgreSQL and announces its events on Redis.
package main

import (
	"context"
	"errors"
	"os"
	"time"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/redisbus"
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
		Summary: "the todo area of Hub, over gRPC on PostgreSQL, with its events on Redis.",
		Serve:   serve,
		Open:    postgres.Open,
	}.Main())
}

// publishEvery is how often events go out while changes come fast: Redis and every edge carry a hundred of
// them for little more than one.
const publishEvery = 50 * time.Millisecond

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
	client, err := cfg.Redis.Open(h.Logger)
	if err != nil {
		return err
	}
	h.Add(lifecycle.Closer("Redis", client))
	h.Buckets = redislimit.New(client, "hub")
	events, err := redisbus.New(redisbus.Deps{
		Client: client, Logger: h.Logger, Tracer: h.Tracer, Interval: publishEvery, Dropped: bus.AnyTodo,
	})
	if err != nil {
		return err
	}
	h.Add(lifecycle.Part{Name: "bus", Stop: events.Close})
	events.Measure(h.Metrics)
	if err := h.AdmitEdges(cfg.Internal); err != nil {
		return err
	}
	h.MaxReceive = cfg.Todo.MaxReceive()
	service, err := todohub.New(todohub.Deps{Config: cfg.Todo, Store: store, Publisher: events, Logger: h.Logger})
	if err != nil {
		return err
	}
	h.Add(lifecycle.Background("announcement of the start", func(ctx context.Context) error {
		return todohub.AnnounceStart(ctx, events)
	}))
	return h.Serve(ctx, service)
}
