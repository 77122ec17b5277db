package server

import (
	"context"
	"fmt"
	"os/exec"
)

// Dump writes a database of the cluster into a file, in the custom format of pg_dump. It may be in use.
func (s *Server) Dump(ctx context.Context, database, file string) error {
	return s.run(ctx, "pg_dump", "--format=custom", "--file="+file, "--dbname="+s.Address+" dbname="+database)
}

// Restore fills an empty database of the cluster from a file of Dump.
func (s *Server) Restore(ctx context.Context, database, file string) error {
	return s.run(ctx, "pg_restore", "--no-owner", "--exit-on-error", "--dbname="+s.Address+" dbname="+database, file)
}

func (s *Server) run(ctx context.Context, program string, args ...string) error {
	if out, err := exec.CommandContext(ctx, tool(program), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}
