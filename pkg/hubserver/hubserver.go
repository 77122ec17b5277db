// Package hubserver is the process around one hub in the distributed shape: its gRPC listener, its
// admin listener, health, and an ordered stop.
package hubserver

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/health"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/log"
	"example.com/hub/pkg/telemetry"
)

// callGrace is how long a stop waits for running calls.
const callGrace = 10 * time.Second

// Config are the settings that both hubs share.
type Config struct {
	GRPCAddr   string        `env:"HUB_GRPC_ADDR"       envDefault:":9090" help:"address of gRPC, host:port"`
	AdminAddr  string        `env:"HUB_ADMIN_ADDR"      envDefault:":8090" help:"address of /livez, /readyz, /metrics and /debug/pprof/, host:port; not for callers"`
	Reflection bool          `env:"HUB_GRPC_REFLECTION" envDefault:"false" help:"whether gRPC clients may ask for the services"`
	DrainDelay time.Duration `env:"HUB_DRAIN_DELAY"     envDefault:"0s"    help:"how long a stopping process still serves after it became unready"`

	Log  log.Config
	Auth auth.Settings
}

// Validate checks the ranges.
func (c Config) Validate() error {
	if c.DrainDelay < 0 {
		return fmt.Errorf("HUB_DRAIN_DELAY: must be at least 0, not %s", c.DrainDelay)
	}
	return nil
}

// Service is a hub.
type Service interface {
	// Register adds its gRPC services.
	Register(r grpc.ServiceRegistrar)
	// Policy names the scope that each method needs.
	Policy() auth.Policy
	// Ping fails while the hub cannot work.
	Ping(ctx context.Context) error
}

// Process is what to run.
type Process struct {
	Config  Config
	Logger  *slog.Logger
	Service Service
	// Metrics are what the admin listener shows; Run adds those of the calls and
	// the tokens.
	Metrics *telemetry.Registry
	// Verify wraps the verifier of client tokens; nil leaves it as it is.
	Verify func(auth.Verifier) (auth.Verifier, error)
	// MaxReceive is the largest request in bytes.
	MaxReceive int
	// Parts start before the listeners and stop after them: the store, the bus.
	Parts []lifecycle.Part
}

// Run serves until ctx ends, then drains and stops. Parts are stopped in any case.
func (p Process) Run(ctx context.Context) error {
	parts := p.Parts
	fail := func(err error) error {
		_ = lifecycle.Stop(context.WithoutCancel(ctx), parts...)
		return err
	}
	grpcListener, part, err := lifecycle.Listen(ctx, "HUB_GRPC_ADDR", p.Config.GRPCAddr)
	if err != nil {
		return fail(err)
	}
	parts = append(parts, part)
	adminListener, part, err := lifecycle.Listen(ctx, "HUB_ADMIN_ADDR", p.Config.AdminAddr)
	if err != nil {
		return fail(err)
	}
	parts = append(parts, part)

	tokens, keys := p.Config.Auth.Open(p.Logger)
	tokens.Measure(p.Metrics)
	parts = append(parts, lifecycle.Part{Name: "signing keys", Stop: func(context.Context) error { keys.Close(); return nil }})
	var verifier auth.Verifier = tokens
	if p.Verify != nil {
		if verifier, err = p.Verify(verifier); err != nil {
			return fail(err)
		}
	}
	state := health.New(
		health.Check{Name: "database", Probe: p.Service.Ping},
		health.Check{Name: "signing keys", Probe: keys.Ready},
	)
	policy := p.Service.Policy()
	server := grpcserver.New(grpcserver.Options{
		Verifier:        verifier,
		Policy:          policy,
		Logger:          p.Logger,
		Metrics:         p.Metrics.GRPCRequests(slices.Collect(maps.Keys(policy))),
		Health:          state.Server(),
		Reflection:      p.Config.Reflection,
		MaxReceiveBytes: p.MaxReceive,
	})
	p.Service.Register(server)
	parts = append(parts,
		lifecycle.HTTP("admin", state.NewServer(p.Metrics.Handler()), adminListener),
		state.Probing(),
		grpcserver.Part(server, grpcListener, callGrace),
		state.Draining(p.Config.DrainDelay),
	)
	p.Logger.InfoContext(ctx, "serving",
		"grpc", grpcListener.Addr().String(), "admin", adminListener.Addr().String())
	return lifecycle.Run(ctx, p.Config.DrainDelay+callGrace+5*time.Second, parts...)
}
