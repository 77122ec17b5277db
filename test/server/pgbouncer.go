package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const pgbouncerSettings = `[databases]
* = host=%s
[pgbouncer]
unix_socket_dir = %s
listen_port = 5432
auth_type = trust
auth_file = %s
pool_mode = %s
default_pool_size = %d
max_client_conn = 300
`

// PgBouncer stands in front of the PostgreSQL whose socket is in postgres, in the pool mode session
// or transaction, with its socket in dir, which it makes. It opens at most size connections to each
// database, and PostgreSQL need not run yet.
func PgBouncer(ctx context.Context, dir, postgres, mode string, size int) (*Server, error) {
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	config, users := filepath.Join(dir, "pgbouncer.ini"), filepath.Join(dir, "users.txt")
	if err := os.WriteFile(users, []byte("\"hub\" \"\"\n"), 0o600); err != nil {
		return nil, err
	}
	settings := fmt.Sprintf(pgbouncerSettings, postgres, dir, users, mode, size)
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		return nil, err
	}
	if as != nil {
		for _, name := range []string{dir, config, users} {
			if err := os.Chown(name, int(as.Uid), int(as.Gid)); err != nil {
				return nil, err
			}
		}
	}
	return start(ctx, &Server{
		Address: "host=" + dir + " user=hub",
		listens: filepath.Join(dir, ".s.PGSQL.5432"),
		dir:     dir,
		as:      as,
		args:    []string{tool("pgbouncer"), config},
		quit:    syscall.SIGKILL,
	})
}
