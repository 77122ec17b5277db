// Command hubctl calls a Hub from a terminal or a script.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"example.com/hub/clients/hubctl/internal/command"
	"example.com/hub/clients/hubctl/internal/conformance"
)

func main() { os.Exit(run()) }

func run() int {
	if conformance.IsSuite(os.LookupEnv) {
		conformance.RunSuite()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// From the first signal on the next one has its usual effect.
	context.AfterFunc(ctx, stop)
	app := command.App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.LookupEnv}
	return app.Main(ctx, os.Args[1:])
}
