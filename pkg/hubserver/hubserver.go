// Package hubserver is the process around one hub in the distributed shape: its gRPC listener, its
// admin listener, health, and an ordered stop.
package hubserver

import (
	"context"
	"errors"
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
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/pkg/tlsfiles"
)

// callGrace is how long a stop waits for running calls.
const callGrace = 10 * time.Second

// Config are the settings that both hubs share.
type Config struct {
	GRPCAddr   string        `env:"HUB_GRPC_ADDR"       envDefault:":9090" help:"address of gRPC, host:port"`
	AdminAddr  string        `env:"HUB_ADMIN_ADDR"      envDefault:"127.0.0.1:8090" help:"address of /livez, /readyz, /metrics and /debug/pprof/, host:port; not for callers; :8090 where a probe or a scrape comes from another machine"`
	Reflection bool          `env:"HUB_GRPC_REFLECTION" envDefault:"false" help:"whether gRPC clients may ask for the services"`
	DrainDelay time.Duration `env:"HUB_DRAIN_DELAY"     envDefault:"0s"    help:"how long a stopping process still serves after it became unready"`
	MaxAge     time.Duration `env:"HUB_MAX_CONNECTION_AGE" envDefault:"5m" help:"when a gRPC connection ends, so that callers behind a load balancer find new replicas, at least 1s"`

	Log      log.Config
	Auth     auth.Settings
	Trace    tracing.Config
	Limit    ratelimit.Config
	TLS      tlsfiles.HubSettings
	AdminTLS tlsfiles.AdminSettings
}

// Validate checks the range, and that the issuer of the tokens is named.
func (c Config) Validate() error {
	faults := []error{c.Auth.NeedIssuer()}
	if c.DrainDelay < 0 {
		faults = append(faults, fmt.Errorf("HUB_DRAIN_DELAY: must be at least 0, not %s", c.DrainDelay))
	}
	if c.MaxAge < time.Second {
		faults = append(faults, fmt.Errorf("HUB_MAX_CONNECTION_AGE: must be at least 1s, not %s", c.MaxAge))
	}
	return errors.Join(faults...)
}

// Service is a hub.
type Service interface {
	// Register adds its gRPC services.
	Register(r grpc.ServiceRegistrar)
	// Policy names the scope that each method needs.
	Policy() auth.Policy
	// Charges say what each method takes of its client's limits.
	Charges() ratelimit.Charges
	// Ping fails while the hub cannot work.
	Ping(ctx context.Context) error
}

// Process is what to run.
type Process struct {
	Config  Config
	Logger  *slog.Logger
	Service Service
	// Metrics are what the admin listener shows; Run adds those of the calls,
	// the tokens and the limits.
	Metrics *telemetry.Registry
	// Tracer traces the calls; its part stands before all others, so that it stops last.
	Tracer *tracing.Tracer
	// Buckets are those of the limits that all replicas share; nil leaves each with its own.
	Buckets ratelimit.Shared
	// Verify wraps the verifier of client tokens; nil leaves it as it is.
	Verify func(auth.Verifier) (auth.Verifier, error)
	// Peers say who may make the calls between Hub's own services; nil leaves it to the verifier.
	Peers *grpcserver.Peers
	// MaxReceive is the largest request in bytes.
	MaxReceive int
	// Entries bound the lists in requests.
	Entries grpcserver.Entries
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
	listening, opened, err := p.Config.listen(ctx, p.Logger, p.Metrics)
	parts = append(parts, opened...)
	if err != nil {
		return fail(err)
	}

	tokens, keys := p.Config.Auth.Open(p.Logger)
	tokens.Measure(p.Metrics)
	keys.Measure(p.Metrics)
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
	limiter := ratelimit.New(p.Config.Limit, ratelimit.Deps{Shared: p.Buckets, Logger: p.Logger})
	limiter.Measure(p.Metrics)
	policy := p.Service.Policy()
	server := grpcserver.New(grpcserver.Options{
		Verifier:        verifier,
		Policy:          policy,
		Peers:           p.Peers,
		Limiter:         limiter,
		Charges:         p.Service.Charges(),
		Logger:          p.Logger,
		Access:          p.Config.Log.Access,
		Tracer:          p.Tracer,
		Metrics:         p.Metrics.GRPCRequests(slices.Collect(maps.Keys(policy))),
		Health:          state.Server(),
		Reflection:      p.Config.Reflection,
		MaxAge:          p.Config.MaxAge,
		MaxReceiveBytes: p.MaxReceive,
		Entries:         p.Entries,
		Server:          listening.tls.GRPC(),
	})
	p.Service.Register(server)
	admin := state.NewServer(p.Metrics.Handler())
	admin.ErrorLog = slog.NewLogLogger(p.Logger.Handler(), slog.LevelDebug)
	parts = append(parts,
		lifecycle.HTTP("admin", admin, listening.admin),
		state.Probing(),
		grpcserver.Part(server, listening.grpc, callGrace),
		state.Draining(p.Config.DrainDelay),
	)
	p.Logger.InfoContext(ctx, "serving",
		"grpc", listening.grpc.Addr().String(), "tls", listening.tls != nil, "admin", listening.admin.Addr().String())
	return lifecycle.Run(ctx, p.Config.DrainDelay+callGrace+5*time.Second, parts...)
}
