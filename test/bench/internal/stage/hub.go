package stage

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Hub is the one-process Hub while it runs.
type Hub struct {
	// Addr is where REST listens, host:port.
	Addr string
	// PID is the process.
	PID int
	// Service is the process for profiles, if it has an admin address.
	Service Service
	// Start is the time from the start of the process to its first answer.
	Start time.Duration

	cmd    *exec.Cmd
	exited chan struct{}
}

// StartHub runs the binary hub with its files in dir, as it comes or with an admin address for profiles.
func StartHub(ctx context.Context, bin, dir string, admin bool) (*Hub, error) {
	addresses, err := free(3)
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer
	h := &Hub{Addr: addresses[0], Service: Service{"hub", addresses[2]}, cmd: exec.CommandContext(ctx, filepath.Join(bin, "hub")), exited: make(chan struct{})}
	h.cmd.Env = append(os.Environ(), "HUB_HTTP_ADDR="+addresses[0], "HUB_GRPC_ADDR="+addresses[1], "HUB_DATA_DIR="+dir)
	if admin {
		h.cmd.Env = append(h.cmd.Env, "HUB_ADMIN_ADDR="+addresses[2])
	}
	h.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	h.cmd.Stdout, h.cmd.Stderr = &log, &log
	began := time.Now()
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	h.PID = h.cmd.Process.Pid
	go func() { _ = h.cmd.Wait(); close(h.exited) }()
	if err := h.answers(ctx); err != nil {
		h.Stop()
		return nil, fmt.Errorf("start hub: %w\n%s", err, log.String())
	}
	h.Start = time.Since(began)
	return h, nil
}

// answers waits for the first answer.
func (h *Hub) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+h.Addr+"/.well-known/jwks.json", nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-h.exited:
			return fmt.Errorf("it ended: %v", h.cmd.ProcessState)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stop ends the process in order and waits until it is gone.
func (h *Hub) Stop() {
	_ = h.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(stopTime, func() { _ = h.cmd.Process.Kill() })
	defer late.Stop()
	<-h.exited
}
