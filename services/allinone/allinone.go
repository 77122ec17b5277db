// Package allinone is the whole of Hub in one process: the two hubs and an edge that call each other
// in memory, with SQLite files and an in-process bus.
package allinone

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/health"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/pkg/telemetry/tracing"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/services/allinone/internal/datadir"
	"example.com/hub/services/edge"
	"example.com/hub/services/messagehub"
	inboxdb "example.com/hub/services/messagehub/store/sqlite"
	"example.com/hub/services/todohub"
	tododb "example.com/hub/services/todohub/store/sqlite"
)

// stopTime bounds the stop: whoever presses Ctrl-C does not want to wait.
const stopTime = 1500 * time.Millisecond

// grpcOverhead is what a gRPC message may take beyond the JSON body that holds the same.
const grpcOverhead = 64 << 10

// Hub is the whole of Hub. Open makes it, Run serves it.
type Hub struct {
	cfg     Config
	logger  *slog.Logger
	metrics *telemetry.Registry
	tracer  *tracing.Tracer

	http, grpc net.Listener
	admin      net.Listener    // nil without HUB_ADMIN_ADDR
	tls        *tlsfiles.Files // of http and grpc; nil without
	dir        *datadir.Dir
	hosts      []string    // by which REST may be called; nil is any
	issuer     edge.Issuer // nil with an outside provider
	forwarder  edge.Tokens // nil without one
	verifier   auth.Verifier
	checks     []health.Check
	eventKey   string // of the edge's calls for events
	todo       *todohub.Service
	messages   *messagehub.Service
	frame      grpcserver.Options
	bus        *membus.Bus

	// parts are what Run runs and stops, in the order of their start.
	parts []lifecycle.Part
}

// Open takes the ports, opens the files and puts everything together. On an error nothing stays
// open.
func Open(ctx context.Context, cfg Config, logger *slog.Logger) (_ *Hub, err error) {
	h := &Hub{cfg: cfg, logger: logger, metrics: telemetry.New()}
	defer func() {
		if err != nil {
			err = errors.Join(err, lifecycle.Stop(context.WithoutCancel(ctx), h.parts...))
		}
	}()
	for _, step := range []func(context.Context) error{h.openTracer, h.listen, h.openDir, h.openTokens, h.openHubs, h.openFrame, h.openGRPC, h.openEdge, h.openAdmin} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Run serves until ctx ends or something fails, then stops everything.
func (h *Hub) Run(ctx context.Context) error {
	return lifecycle.Run(ctx, h.cfg.Edge.DrainSpread+stopTime, h.parts...)
}

// openTracer comes first, so that its end comes last.
func (h *Hub) openTracer(ctx context.Context) (err error) {
	h.tracer, err = tracing.Open(ctx, h.cfg.Trace, "hub", h.logger)
	h.parts = append(h.parts, h.tracer.Part())
	return err
}

// openDir takes the data folder, as listen takes the ports.
func (h *Hub) openDir(context.Context) (err error) {
	if h.dir, err = datadir.Open(h.cfg.DataDir, h.logger); err != nil {
		return fmt.Errorf("HUB_DATA_DIR: %w", err)
	}
	h.parts = append(h.parts, lifecycle.Closer("data folder", h.dir))
	return nil
}

// openTokens opens Hub's own issuer, or what stands in for an outside one.
func (h *Hub) openTokens(context.Context) error {
	if h.cfg.Auth.IssuerURL != "" {
		return h.openProvider()
	}
	return h.openIssuer()
}

func (h *Hub) openIssuer() error {
	cfg := h.cfg.Edge
	if cfg.Token.PublicURL == "" {
		cfg.Token.PublicURL = h.URL()
	}
	deps := edge.IssuerDeps{Logger: h.logger, Public: !edge.Loopback(h.cfg.HTTPAddr) || !edge.Loopback(h.cfg.GRPCAddr)}
	if cfg.Token.SigningKeysFile == "" {
		cfg.Token.SigningKeysFile = h.dir.Path("signing-keys.pem")
		deps.CreateKeys = true
	}
	if h.cfg.demo() {
		deps.Clients = edge.DemoClients()
	}
	issuer, err := edge.OpenIssuer(cfg, deps)
	if err != nil {
		return err
	}
	h.issuer, h.hosts = issuer, edge.DemoHosts(issuer, h.cfg.HTTPAddr)
	accepted := h.cfg.Auth
	accepted.PublicURL = issuer.Issuer()
	h.verify(accepted.Verifier(auth.LocalKeys(issuer.Keys)))
	return nil
}

func (h *Hub) openProvider() error {
	forwarder, err := edge.NewForwarder(h.cfg.Edge, edge.ForwarderDeps{Issuer: h.cfg.Auth.IssuerURL, Logger: h.logger})
	if err != nil {
		return err
	}
	h.forwarder = forwarder
	verifier, keys := h.cfg.Auth.Open(h.logger)
	h.verify(verifier)
	keys.Measure(h.metrics)
	h.checks = append(h.checks, health.Check{Name: "signing keys", Probe: keys.Ready})
	h.parts = append(h.parts, lifecycle.Part{Name: "signing keys", Stop: func(context.Context) error {
		forwarder.Close()
		keys.Close()
		return nil
	}})
	return nil
}

func (h *Hub) verify(v *auth.TokenVerifier) {
	v.Measure(h.metrics)
	h.verifier = v
}

func (h *Hub) openHubs(ctx context.Context) error {
	todos, err := datadir.Database(h.dir, "todohub.db", func(path string) (*tododb.Store, error) {
		return tododb.Open(ctx, path)
	})
	if err != nil {
		return fmt.Errorf("HUB_DATA_DIR: %w", err)
	}
	h.parts = append(h.parts, lifecycle.Closer("todo store", todos))
	records, err := datadir.Database(h.dir, "messagehub.db", func(path string) (*inboxdb.Store, error) {
		return inboxdb.Open(ctx, path)
	})
	if err != nil {
		return fmt.Errorf("HUB_DATA_DIR: %w", err)
	}
	h.parts = append(h.parts, lifecycle.Closer("inbox store", records))

	h.bus = membus.New()
	h.parts = append(h.parts, lifecycle.Part{Name: "bus", Stop: h.bus.Close})
	h.todo, err = todohub.New(todohub.Deps{Config: h.cfg.Todo, Store: todos, Logger: h.logger})
	if err != nil {
		return err
	}
	h.messages, err = messagehub.New(messagehub.Deps{
		Config: h.cfg.Message, Store: records, Publisher: h.bus, Logger: h.logger,
	})
	if err != nil {
		return err
	}
	h.todo.Measure(h.metrics)
	h.messages.Measure(h.metrics)
	h.parts = append(h.parts,
		lifecycle.Background("todo retention", h.todo.Run),
		lifecycle.Background("announcements and retention", h.messages.Run),
	)
	return nil
}

// openFrame makes the rules for the calls of the hubs, from outside and in memory.
func (h *Hub) openFrame(context.Context) error {
	policy := h.todo.Policy()
	maps.Copy(policy, h.messages.Policy())
	h.eventKey = rand.Text() + rand.Text()
	verifier, err := auth.WithInternalKey(h.verifier, h.eventKey)
	if err != nil {
		return err
	}
	limiter := ratelimit.New(h.cfg.Limit, ratelimit.Deps{Logger: h.logger})
	limiter.Measure(h.metrics)
	charges := h.todo.Charges()
	maps.Copy(charges, h.messages.Charges())
	h.frame = grpcserver.Options{
		Verifier:        verifier,
		Policy:          policy,
		Limiter:         limiter,
		Charges:         charges,
		Logger:          h.logger,
		Access:          h.cfg.Log.Access,
		Tracer:          h.tracer,
		Metrics:         h.metrics.GRPCRequests(slices.Collect(maps.Keys(policy))),
		Reflection:      h.cfg.Reflection,
		MaxReceiveBytes: int(h.cfg.Edge.MaxBody) + grpcOverhead,
		Entries:         h.messages.Entries(),
		Server:          h.tls.GRPC(),
	}
	return nil
}

func (h *Hub) openGRPC(context.Context) error {
	s := grpcserver.New(h.frame)
	h.todo.Register(s)
	h.messages.Register(s)
	// Half of the time, so that the rest is stopped in order.
	h.parts = append(h.parts, grpcserver.Part(s, h.grpc, stopTime/2))
	return nil
}

func (h *Hub) openEdge(context.Context) error {
	local := grpcserver.NewLocal(h.frame)
	h.todo.Register(local)
	h.messages.Register(local)
	e, err := edge.New(edge.Deps{
		Config:    h.cfg.Edge,
		Todo:      h.tracer.Conn(local),
		Messages:  h.tracer.Conn(local),
		Events:    h.bus,
		EventLog:  edge.NewEventLog(local, h.eventKey),
		Verifier:  h.verifier,
		Issuer:    h.issuer,
		Forwarder: h.forwarder,
		Hosts:     h.hosts,
		Limiter:   h.frame.Limiter,
		Metrics:   h.metrics,
		Tracer:    h.tracer,
		Logger:    h.logger,
		Access:    h.cfg.Log.Access,
	})
	if err != nil {
		return err
	}
	h.parts = append(h.parts,
		lifecycle.Background("events", e.Run),
		lifecycle.HTTP("REST", e.NewServer(h.logger), h.http),
		lifecycle.Part{Name: "streams", Stop: e.Shutdown},
	)
	return nil
}

// openAdmin serves what operators and probes ask for, if somewhere.
func (h *Hub) openAdmin(ctx context.Context) error {
	if h.cfg.AdminAddr == "" {
		return nil
	}
	if err := h.listenAdmin(ctx); err != nil {
		return err
	}
	state := health.New(append(h.checks,
		health.Check{Name: "todo store", Probe: h.todo.Ping},
		health.Check{Name: "inbox store", Probe: h.messages.Ping},
	)...)
	server := state.NewServer(h.metrics.Handler())
	server.ErrorLog = slog.NewLogLogger(h.logger.Handler(), slog.LevelDebug)
	h.parts = append(h.parts, lifecycle.HTTP("admin", server, h.admin), state.Probing())
	return nil
}
