// Package health tells an orchestrator whether a process lives and whether it should get calls, over
// HTTP for probes and over the standard gRPC health service for clients.
package health

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

const (
	interval = time.Second
	// A probe that hangs counts as failed, so that a hung dependency is noticed as fast as a dead one.
	probeTimeout = 2 * time.Second
	// One failed probe may be a hiccup.
	failuresUntilUnready = 2
)

// Check is one thing that the process needs in order to answer calls.
type Check struct {
	// Name stands in the reason, "database" for example.
	Name string
	// Probe fails while the thing is away.
	Probe func(ctx context.Context) error
}

// Health is the state of a process. It starts as not ready, until every check has passed once.
type Health struct {
	checks []Check
	grpc   *health.Server

	mu       sync.Mutex
	failures []int
	reasons  []error
	draining bool
}

// errStarting is the reason before the first round of probes.
var errStarting = errors.New("not probed yet")

// New makes a Health of checks; without any it is ready once Run runs.
func New(checks ...Check) *Health {
	h := &Health{
		checks:   checks,
		grpc:     health.NewServer(),
		failures: make([]int, len(checks)),
		reasons:  make([]error, len(checks)),
	}
	for i := range checks {
		h.reasons[i] = errStarting
	}
	h.publish()
	return h
}

// Server is the gRPC health service, for the empty service name.
func (h *Health) Server() healthpb.HealthServer { return h.grpc }

// Run probes until ctx ends.
func (h *Health) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		h.probe(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (h *Health) probe(ctx context.Context) {
	var round sync.WaitGroup
	for i, c := range h.checks {
		round.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, probeTimeout)
			defer cancel()
			h.note(i, c.Probe(ctx))
		})
	}
	round.Wait()
	h.publish()
}

func (h *Health) note(i int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		h.failures[i], h.reasons[i] = 0, nil
		return
	}
	h.failures[i]++
	if h.failures[i] >= failuresUntilUnready || errors.Is(h.reasons[i], errStarting) {
		h.reasons[i] = err
	}
}

// Drain makes the process unready for good, while it still answers calls.
func (h *Health) Drain() {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	h.publish()
}

// Ready is nil, or why the process should get no calls.
func (h *Health) Ready() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		return errors.New("draining")
	}
	var reasons []error
	for i, err := range h.reasons {
		if err != nil {
			reasons = append(reasons, fmt.Errorf("%s: %w", h.checks[i].Name, err))
		}
	}
	return errors.Join(reasons...)
}

func (h *Health) publish() {
	status := healthpb.HealthCheckResponse_SERVING
	if h.Ready() != nil {
		status = healthpb.HealthCheckResponse_NOT_SERVING
	}
	h.grpc.SetServingStatus("", status)
}
