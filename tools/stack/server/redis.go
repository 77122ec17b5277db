package server

import (
	"context"
	"path/filepath"
	"syscall"
)

// Redis serves an empty Redis with its socket in dir, which must exist. It keeps nothing: Hub uses
// it as a bus.
func Redis(ctx context.Context, dir string) (*Server, error) {
	socket := RedisSocket(dir)
	return start(ctx, &Server{
		Address: "unix://" + socket,
		socket:  socket,
		args: []string{
			"redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", dir,
		},
		quit: syscall.SIGKILL,
	})
}

// RedisSocket is where the Redis of dir listens.
func RedisSocket(dir string) string { return filepath.Join(dir, "redis.sock") }
