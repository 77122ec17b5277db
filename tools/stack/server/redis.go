package server

import (
	"context"
	"path/filepath"
	"syscall"
)

// Redis serves an empty Redis with its socket in dir, which must exist. It keeps nothing: Hub uses
// it as a bus.
func Redis(ctx context.Context, dir string) (*Server, error) {
	socket := filepath.Join(dir, "redis.sock")
	s, err := start(ctx, socket, nil, "redis-server",
		"--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", dir)
	if err != nil {
		return nil, err
	}
	s.Address = "unix://" + socket
	s.quit = syscall.SIGKILL
	return s, nil
}
