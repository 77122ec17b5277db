// Command withdeps runs a command beside a PostgreSQL and a Redis of its own and takes them away
// again:
//
//	withdeps go test work
//
// The command finds them in HUB_TEST_POSTGRES (a key=value connection string) and HUB_TEST_REDIS (a
// unix:// URL). Where versitygw is beside this program, HUB_TEST_S3 is the URL of a bucket in it, with its keys. The
// exit code of the command is passed on.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"example.com/hub/test/server"
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
	// PostgreSQL may run as another user, who must get through.
	if err := os.Chmod(dir, 0o711); err != nil {
		return 0, err
	}

	pg, err := server.Postgres(ctx, filepath.Join(dir, "pg"), server.Volatile)
	if err != nil {
		return 0, fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer pg.Stop()

	redis, err := server.Redis(ctx, dir)
	if err != nil {
		return 0, fmt.Errorf("start Redis: %w", err)
	}
	defer redis.Stop()

	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	child.Env = append(os.Environ(),
		"HUB_TEST_POSTGRES="+pg.Address+" dbname=postgres",
		"HUB_TEST_REDIS="+redis.Address)
	if program := besides("versitygw"); program != "" {
		s3, err := server.S3(ctx, program, filepath.Join(dir, "s3"))
		if err != nil {
			return 0, fmt.Errorf("start versitygw: %w", err)
		}
		defer s3.Stop()
		child.Env = append(child.Env, "HUB_TEST_S3="+s3.Address)
	}
	err = child.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// besides gives the path of a program in the folder of this one, or "".
func besides(program string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	path := filepath.Join(filepath.Dir(self), program)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}
