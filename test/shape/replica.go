package shape

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.com/hub/test/server"
)

// killAfter is how long a replica may take to stop in order.
const killAfter = 15 * time.Second

// Replica is one process of a service.
type Replica struct {
	// Name is the service and a number: edge-1.
	Name string
	// Exited is closed when the process is gone.
	Exited chan struct{}

	plan plan
	cmd  *exec.Cmd
}

// StartHub runs the binary hub of the folder bin, with its data in a folder, and waits until it is ready. It has
// further settings, NAME=value, and out gets what it writes.
func StartHub(ctx context.Context, bin, data string, at Address, out io.Writer, environ ...string) (*Replica, error) {
	p := plan{name: "hub", binary: "hub", address: at, environ: append([]string{
		"HUB_DATA_DIR=" + data, "HUB_HTTP_ADDR=" + at.Public, "HUB_ADMIN_ADDR=" + at.Admin, "HUB_GRPC_ADDR=127.0.0.1:0",
	}, environ...)}
	r, err := p.start(Config{Bin: bin, Out: out})
	if err != nil {
		return nil, err
	}
	if err := r.Ready(ctx, startTime); err != nil {
		r.Kill()
		return nil, err
	}
	return r, nil
}

// start runs a replica in a process group of its own, so that Ctrl-C reaches only this program, which
// then stops the replicas in order.
func (p plan) start(cfg Config) (*Replica, error) {
	r := &Replica{
		Name:   p.name,
		Exited: make(chan struct{}),
		plan:   p,
		cmd:    exec.Command(filepath.Join(cmp.Or(cfg.Bins[p.name], cfg.Bin), p.binary), p.args...),
	}
	r.cmd.Env = slices.Concat(os.Environ(), p.environ, cfg.Environ, cfg.Own[p.name])
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, in := io.Pipe()
	r.cmd.Stdout, r.cmd.Stderr = in, in
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = r.cmd.Wait()
		_ = in.Close()
		close(r.Exited)
	}()
	go r.relay(out, cfg.Out)
	return r, nil
}

// relay prints what the replica writes, each line with its name.
func (r *Replica) relay(from io.Reader, to io.Writer) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			fmt.Fprintf(to, "%-13s %s\n", r.Name, strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return
		}
	}
}

// Ready waits until the replica says that it is.
func (r *Replica) Ready(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		reason := r.probe(ctx)
		if reason == nil {
			return nil
		}
		select {
		case <-r.Exited:
			return fmt.Errorf("%s ended: %v", r.Name, r.State())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w", r.Name, reason)
		case <-tick.C:
		}
	}
}

func (r *Replica) probe(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.plan.address.Admin+"/readyz", nil)
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

// State tells how the process ended; nil while it runs.
func (r *Replica) State() *os.ProcessState { return r.cmd.ProcessState }

// Signal is server.Signal.
func (r *Replica) Signal(sig syscall.Signal) error { return server.Signal(r.cmd.Process, sig) }

// Kill ends the replica without warning and waits until it is gone.
func (r *Replica) Kill() {
	_ = r.Signal(syscall.SIGKILL)
	<-r.Exited
}

// Stop lets the replica end in order, or kills it when that takes too long.
func (r *Replica) Stop() {
	_ = r.Signal(syscall.SIGTERM)
	late := time.AfterFunc(killAfter, func() { _ = r.cmd.Process.Kill() })
	defer late.Stop()
	<-r.Exited
}
