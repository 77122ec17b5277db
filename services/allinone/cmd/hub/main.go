// Command hub is the whole of Hub in one process, ready to use without any setting.
package main

import (
	"context"
	"os"

	"example.com/hub/pkg/cli"
	"example.com/hub/services/allinone"
	"example.com/hub/services/edge"
)

func main() {
	var cfg allinone.Config
	program := cli.Program{
		Name:    "hub",
		Summary: "todos, messages and their events for a company's portal, in one process.",
		Commands: []cli.Command{
			{
				Help: "serves until Ctrl-C", Settings: &cfg,
				Run: func(ctx context.Context, io cli.IO, _ []string) error { return serve(ctx, io, cfg) },
			},
			edge.NewClientCommand(),
		},
	}
	os.Exit(program.Main())
}

func serve(ctx context.Context, io cli.IO, cfg allinone.Config) error {
	hub, err := allinone.Open(ctx, cfg, io.Logger(cfg.Log))
	if err != nil {
		return err
	}
	if err := hub.WriteWelcome(io.Out); err != nil {
		return err
	}
	return hub.Run(ctx)
}
