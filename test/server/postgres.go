package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Durability says whether PostgreSQL must survive a crash of the machine.
type Durability bool

// Tests and benchmarks that throw their data away are Volatile: what was committed survives the end of the
// server, but not that of the machine.
const (
	Durable  Durability = true
	Volatile Durability = false
)

// Postgres serves the cluster in dir/data, which it makes when there is none, with the socket in dir.
// PostgreSQL refuses to run as root; root hands dir to another user, who must be able to reach it.
func Postgres(ctx context.Context, dir string, d Durability) (*Server, error) {
	return postgres(ctx, dir, d, nil)
}

func postgres(ctx context.Context, dir string, d Durability, secure *TLS) (*Server, error) {
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if as != nil {
		if err := os.Chown(dir, int(as.Uid), int(as.Gid)); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); errors.Is(err, os.ErrNotExist) {
		if err := initdb(ctx, dir, data, as, d); err != nil {
			return nil, err
		}
	}
	address, port, listening := "host="+dir+" user=hub", 5432, []string{"-c", "listen_addresses="}
	if secure != nil {
		address, port = secure.address(), secure.Port
		if listening, err = secure.serve(dir, as); err != nil {
			return nil, err
		}
	}
	args := append([]string{tool("postgres"), "-D", data, "-k", dir, "-c", "max_connections=300"}, listening...)
	if d == Volatile {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off")
	}
	// The fast shutdown ends connections, the immediate one also skips the last checkpoint.
	quit := syscall.SIGINT
	if d == Volatile {
		quit = syscall.SIGQUIT
	}
	return start(ctx, &Server{
		Address: address,
		listens: filepath.Join(dir, fmt.Sprintf(".s.PGSQL.%d", port)),
		dir:     dir,
		as:      as,
		args:    args,
		ready:   []string{tool("pg_isready"), "-q", "-h", dir, "-p", strconv.Itoa(port)},
		quit:    quit,
	})
}

func initdb(ctx context.Context, dir, data string, as *syscall.Credential, d Durability) error {
	args := []string{"-D", data, "-U", "hub", "-A", "trust", "-E", "UTF8", "--locale=C"}
	if d == Volatile {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, tool("initdb"), args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// CreateDatabase makes a database of the cluster unless it exists.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	found, err := s.Query(ctx, "postgres", "SELECT 1 FROM pg_database WHERE datname = '"+name+"'")
	if err != nil || found != "" {
		return err
	}
	_, err = s.Query(ctx, "postgres", "CREATE DATABASE "+name)
	return err
}

// Query runs a statement in a database of the cluster, with psql. The answer has a line for each row,
// with "|" between the columns.
func (s *Server) Query(ctx context.Context, database, statement string) (string, error) {
	out, err := exec.CommandContext(ctx, tool("psql"), s.Address+" dbname="+database, "-Atc", statement).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", statement, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// Reachable tells whether the user that PostgreSQL would run as may pass through every folder above
// dir. It always can unless this process is root.
func Reachable(dir string) bool {
	if os.Geteuid() != 0 {
		return true
	}
	for dir = filepath.Dir(dir); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil && info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}

// unprivileged is whom PostgreSQL runs as: nil for the current user unless that is root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("there is no user postgres or nobody to run it as")
}

// tool finds a program of PostgreSQL: on the PATH, or where Debian keeps the newest version, or what
// only root has on the PATH.
func tool(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, folder := range []string{"/usr/lib/postgresql/*/bin/", "/usr/sbin/"} {
		if found, _ := filepath.Glob(folder + name); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return name
}
