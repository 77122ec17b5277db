package server

import (
	"context"
	"path/filepath"
	"syscall"
)

// Redis serves an empty Redis with its socket in dir, which must exist. It keeps nothing: Hub uses
// it as a bus.
func Redis(ctx context.Context, dir string) (*Server, error) {
	return redis(ctx, dir, "unix://"+RedisSocket(dir))
}

func redis(ctx context.Context, dir, address string, args ...string) (*Server, error) {
	socket := RedisSocket(dir)
	return start(ctx, &Server{
		Address: address,
		listens: socket,
		dir:     dir,
		args: append([]string{
			"redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", dir,
		}, args...),
		quit: syscall.SIGKILL,
	})
}

// RedisSocket is where the Redis of dir listens.
func RedisSocket(dir string) string { return filepath.Join(dir, "redis.sock") }
