// Command hub is the whole of Hub in one process, ready to use without any setting.
package main

import (
	"context"
	"os"

	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/log"
	"example.com/hub/services/allinone"
)

func main() {
	var cfg allinone.Config
	program := cli.Program{
		Name:    "hub",
		Summary: "todos, messages and their events for a company's portal, in one process.",
		Commands: []cli.Command{{
			Help:     "serves until Ctrl-C",
			Settings: &cfg,
			Run: func(ctx context.Context, io cli.IO, _ []string) error {
				return serve(ctx, io, cfg)
			},
		}},
	}
	os.Exit(program.Main())
}

func serve(ctx context.Context, io cli.IO, cfg allinone.Config) error {
	hub, err := allinone.Open(ctx, cfg, log.New(io.Err, cfg.Log))
	if err != nil {
		return err
	}
	if err := hub.WriteWelcome(io.Out); err != nil {
		return err
	}
	return hub.Run(ctx)
}
