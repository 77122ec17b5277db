// Command withdeps runs a command beside a PostgreSQL and a Redis of its own and takes them away
// again:
//
//	withdeps go test work
//
// Both listen on Unix sockets in a temporary folder, so that nothing else on the machine is in the
// way. The command finds them in HUB_TEST_POSTGRES (a key=value connection string) and
// HUB_TEST_REDIS (a unix:// URL). Its exit code is passed on.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withdeps COMMAND [ARGUMENT ...]")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "withdeps:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(ctx context.Context, command []string) (code int, err error) {
	dir, err := os.MkdirTemp("", "hub-test-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	pg, err := startPostgres(ctx, dir)
	if err != nil {
		return 0, fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer pg.stop(syscall.SIGQUIT)

	redis, err := startRedis(ctx, dir)
	if err != nil {
		return 0, fmt.Errorf("start Redis: %w", err)
	}
	defer redis.stop(syscall.SIGKILL)

	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	child.Env = append(os.Environ(), "HUB_TEST_POSTGRES="+pg.address, "HUB_TEST_REDIS="+redis.address)
	err = child.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
