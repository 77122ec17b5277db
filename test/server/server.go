// Package server runs the servers that Hub needs beside it on one machine: PostgreSQL and Redis on
// Unix sockets, so that nothing else on the machine is in the way, and one that speaks S3.
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
	// without a database, a unix:// URL of Redis, or what S3 says.
	Address string

	// listens is a socket, or host:port.
	listens string
	dir     string // in which it runs
	as      *syscall.Credential
	args    []string // the program first
	ready   []string // a program that succeeds when the server answers; nil when a connection says it

	cmd    *exec.Cmd
	log    bytes.Buffer
	exited chan struct{}
	quit   syscall.Signal
}

// start runs a server and waits until it answers.
func start(ctx context.Context, s *Server) (*Server, error) {
	if err := s.launch(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// launch starts the process, in a process group of its own, so that Ctrl-C does not reach it.
func (s *Server) launch(ctx context.Context) error {
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.Dir = s.dir
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.as}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	s.exited = exited
	go func(cmd *exec.Cmd) { _ = cmd.Wait(); close(exited) }(s.cmd)

	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if s.answers(ctx) {
			return nil
		}
		select {
		case <-s.exited:
			return fmt.Errorf("%s ended:\n%s", s.args[0], s.log.String())
		case <-ctx.Done():
			s.Stop()
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (s *Server) answers(ctx context.Context) bool {
	network := "tcp"
	if filepath.IsAbs(s.listens) {
		network = "unix"
	}
	conn, err := net.Dial(network, s.listens)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return s.ready == nil || exec.CommandContext(ctx, s.ready[0], s.ready[1:]...).Run() == nil
}

// Signal sends a signal to the process. SIGSTOP makes a server that hangs, until SIGCONT.
func (s *Server) Signal(sig syscall.Signal) error { return Signal(s.cmd.Process, sig) }

// Kill ends the server without warning and waits until it is gone.
func (s *Server) Kill() {
	_ = s.Signal(syscall.SIGKILL)
	<-s.exited
}

// Restart starts a server again that was killed or stopped, at the same address.
func (s *Server) Restart(ctx context.Context) error { return s.launch(ctx) }

// Stop ends the server and waits until it is gone.
func (s *Server) Stop() {
	_ = s.Signal(s.quit)
	<-s.exited
}
