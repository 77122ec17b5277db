package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// server is a process that this program started.
type server struct {
	address string
	cmd     *exec.Cmd
	log     bytes.Buffer
	exited  chan struct{}
}

// start runs a server in a process group of its own, so that Ctrl-C reaches only the command, and
// waits until its socket takes connections.
func start(ctx context.Context, socket string, as *syscall.Credential, name string, args ...string) (*server, error) {
	s := &server{cmd: exec.Command(name, args...), exited: make(chan struct{})}
	s.cmd.Dir = filepath.Dir(socket)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: as}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = s.cmd.Wait(); close(s.exited) }()

	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.Dial("unix", socket); err == nil {
			return s, conn.Close()
		}
		select {
		case <-s.exited:
			return nil, fmt.Errorf("%s ended:\n%s", name, s.log.String())
		case <-ctx.Done():
			s.stop(syscall.SIGKILL)
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

func (s *server) stop(sig syscall.Signal) {
	_ = s.cmd.Process.Signal(sig)
	<-s.exited
}

// startPostgres makes a cluster and serves it. PostgreSQL refuses to run as root, so root hands it
// to another user.
func startPostgres(ctx context.Context, dir string) (*server, error) {
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	sockets := filepath.Join(dir, "pg")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		return nil, err
	}
	if as != nil {
		// The user must get through the parent, too.
		if err := errors.Join(os.Chmod(dir, 0o711), os.Chown(sockets, int(as.Uid), int(as.Gid))); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(sockets, "data")
	initdb := exec.CommandContext(ctx, postgresTool("initdb"),
		"-D", data, "-U", "hub", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.Dir = sockets
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	// Tests need no crash safety of the database itself.
	s, err := start(ctx, filepath.Join(sockets, ".s.PGSQL.5432"), as, postgresTool("postgres"),
		"-D", data, "-k", sockets, "-c", "listen_addresses=", "-c", "max_connections=300",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	if err != nil {
		return nil, err
	}
	s.address = "host=" + sockets + " user=hub dbname=postgres"
	return s, nil
}

func startRedis(ctx context.Context, dir string) (*server, error) {
	socket := filepath.Join(dir, "redis.sock")
	s, err := start(ctx, socket, nil, "redis-server",
		"--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", dir)
	if err != nil {
		return nil, err
	}
	s.address = "unix://" + socket
	return s, nil
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
	return nil, errors.New("no user postgres or nobody to run it as")
}

// postgresTool finds a program of PostgreSQL: on the PATH, or where Debian keeps the newest version.
func postgresTool(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		return name
	}
	return found[len(found)-1]
}
