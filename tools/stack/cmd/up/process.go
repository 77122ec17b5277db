package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a replica that runs.
type process struct {
	replica
	cmd    *exec.Cmd
	exited chan struct{}
}

// start runs a replica in a process group of its own, so that Ctrl-C reaches only this program,
// which then stops the replicas in order.
func (s shape) start(r replica) (*process, error) {
	p := &process{replica: r, cmd: exec.Command(filepath.Join(s.bin, r.binary), "serve"), exited: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), r.environ...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, in := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = in, in
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait()
		_ = in.Close()
		close(p.exited)
	}()
	go p.relay(out)
	return p, nil
}

// relay prints what the replica writes, each line with its name.
func (p *process) relay(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			fmt.Printf("%-13s %s\n", p.name, strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return
		}
	}
}

// ready waits until the replica says that it is.
func (p *process) ready(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		reason := p.probe(ctx)
		if reason == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("%s ended: %v", p.name, p.cmd.ProcessState)
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w", p.name, reason)
		case <-tick.C:
		}
	}
}

func (p *process) probe(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.admin+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	reason, err := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", reason)
	}
	return err
}

// stop lets the replica end in order; after ten seconds it is killed.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	<-p.exited
}
