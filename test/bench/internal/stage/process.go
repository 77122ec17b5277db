package stage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// startTime bounds the wait for a process to listen, stopTime that for its end.
const (
	startTime = 20 * time.Second
	stopTime  = 5 * time.Second
)

// Process is a baseline while it runs.
type Process struct {
	// Addr is where it listens, host:port.
	Addr string
	// PID is its process.
	PID int
	// Service is the process for profiles.
	Service Service

	cmd   *exec.Cmd
	stdin io.Closer
}

// Baseline runs a baseline of this program in a process of its own. It ends when it is stopped, and
// also when this process is gone.
func Baseline(ctx context.Context, name string, args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{"baseline", name}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{PID: cmd.Process.Pid, cmd: cmd, stdin: stdin}
	late := time.AfterFunc(startTime, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	late.Stop()
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("the baseline %s does not listen: %w", name, err)
	}
	p.Addr = strings.TrimSpace(line)
	p.Service = Service{"baseline", p.Addr}
	return p, nil
}

// Stop ends the process and waits until it is gone.
func (p *Process) Stop() {
	_ = p.stdin.Close()
	late := time.AfterFunc(stopTime, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	_ = p.cmd.Wait()
}
