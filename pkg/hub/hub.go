// Package hub is the process around one hub in the distributed shape: its command line, its settings, its
// database, its gRPC and admin listeners, and an ordered stop. What it shares with the edge and the binary
// hub, which have no PostgreSQL, is in package process.
package hub

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/cli"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/process"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/store/pg"
	"example.com/hub/pkg/telemetry"
)

// callGrace is how long a stop waits for running calls.
const callGrace = 10 * time.Second

// Service is a hub, without its process.
type Service interface {
	grpcserver.Service
	// Ping fails while the hub cannot work.
	Ping(ctx context.Context) error
	// Run does what no call waits for, until ctx ends.
	Run(ctx context.Context) error
	// Measure adds the metrics of the hub.
	Measure(r *telemetry.Registry)
}

// Hub is the process of a hub that is being put together. Between Open and Serve its fields can be set.
type Hub struct {
	*process.Process
	// MaxReceive is the largest request in bytes.
	MaxReceive int
	// Buckets are those of the limits that all replicas share; nil leaves each with its own.
	Buckets ratelimit.Shared

	cfg   Config
	edges grpcserver.Edges
}

// Open begins the process of the hub with this name. It must be closed.
func Open(ctx context.Context, name string, cfg Config, io cli.IO) (*Hub, error) {
	p, err := process.Open(ctx, name, cfg.Trace, io.Logger(cfg.Log))
	if err != nil {
		return nil, err
	}
	return &Hub{Process: p, cfg: cfg}, nil
}

// Database opens the store of a hub.
func Database[S interface{ Close() }](ctx context.Context, h *Hub, open func(context.Context, pg.Deps) (S, error)) (S, error) {
	store, err := open(ctx, pg.Deps{Config: h.cfg.Database, Metrics: h.Metrics, Tracer: h.Tracer, Logger: h.Logger})
	if err != nil {
		return store, err
	}
	h.Add(lifecycle.Part{Name: "store", Stop: func(context.Context) error { store.Close(); return nil }})
	return store, nil
}

// AdmitEdges lets Hub's own edges call the methods that are only for them, and speak for users.
func (h *Hub) AdmitEdges(s internalkey.ServerSettings) error {
	key, err := s.Key()
	if err != nil {
		return fmt.Errorf("HUB_INTERNAL_KEY_FILE: %w", err)
	}
	h.edges.Names = s.ClientNames
	if key != "" {
		h.edges.Key, err = internalkey.New(key)
	}
	return err
}

// Serve serves s until ctx ends, then drains and stops everything.
func (h *Hub) Serve(ctx context.Context, s Service) error {
	s.Measure(h.Metrics)
	h.Add(lifecycle.Background("background work", s.Run))
	h.Check("database", s.Ping)
	verifier := h.verifier()
	limiter := ratelimit.New(h.cfg.Limit, ratelimit.Deps{Shared: h.Buckets, Logger: h.Logger})
	limiter.Measure(h.Metrics)

	files, err := h.TLS("server", h.cfg.TLS.Open)
	if err != nil {
		return err
	}
	calls, err := h.Listen(ctx, "HUB_GRPC_ADDR", h.cfg.GRPCAddr)
	if err != nil {
		return err
	}
	admin, state, err := h.Admin(ctx, h.cfg.AdminAddr, h.cfg.AdminTLS)
	if err != nil {
		return err
	}
	options := grpcserver.Options{
		Verifier:        verifier,
		Edges:           h.edges,
		Limiter:         limiter,
		Logger:          h.Logger,
		Access:          h.cfg.Log.Access,
		Tracer:          h.Tracer,
		Health:          state.Server(),
		Reflection:      h.cfg.Reflection,
		MaxAge:          h.cfg.MaxAge,
		MaxReceiveBytes: h.MaxReceive,
		Server:          files.GRPC(),
	}
	options.Admit(s)
	options.Metrics = h.Metrics.GRPCRequests(slices.Collect(maps.Keys(options.Policy)))
	server := grpcserver.New(options)
	s.Register(server)
	h.Add(
		grpcserver.Part(server, calls, callGrace),
		state.Draining(h.cfg.DrainDelay),
	)
	h.Logger.InfoContext(ctx, "serving", "grpc", calls.Addr().String(), "tls", files != nil, "admin", admin.Addr().String())
	return h.Run(ctx, h.cfg.DrainDelay+callGrace+5*time.Second)
}

// verifier checks the tokens of clients.
func (h *Hub) verifier() auth.Verifier {
	settings := h.cfg.Auth
	settings.Users = h.edges.Key != nil || len(h.edges.Names) > 0
	tokens, keys := settings.Open(h.Logger)
	tokens.Measure(h.Metrics)
	keys.Measure(h.Metrics)
	h.Add(lifecycle.Part{Name: "signing keys", Stop: func(context.Context) error { keys.Close(); return nil }})
	h.Check("signing keys", keys.Ready)
	return tokens
}
