// Package server runs the servers that Hub needs beside it on one machine: PostgreSQL and Redis on
// Unix sockets, so that nothing else on the machine is in the way.
package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Server is a process that this program started.
type Server struct {
	// Address is what Hub's settings and tests take: a key=value connection string of PostgreSQL
	// without a database, or a unix:// URL of Redis.
	Address string

	cmd    *exec.Cmd
	log    bytes.Buffer
	exited chan struct{}
	quit   syscall.Signal
}

// start runs a server in a process group of its own, so that Ctrl-C does not reach it, and waits
// until its socket takes connections.
func start(ctx context.Context, socket string, as *syscall.Credential, name string, args ...string) (*Server, error) {
	s := &Server{cmd: exec.Command(name, args...), exited: make(chan struct{}), quit: syscall.SIGTERM}
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
			s.Stop()
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// Stop ends the server and waits until it is gone.
func (s *Server) Stop() {
	_ = s.cmd.Process.Signal(s.quit)
	<-s.exited
}
