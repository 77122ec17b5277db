// Package allinone is the whole of Hub in one process: the hubs and an edge that call each other in
// memory, with SQLite files and an in-process bus.
package allinone

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"runtime/debug"
	"slices"
	"time"

	"example.com/hub/pkg/auth/internalkey"
	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/process"
	"example.com/hub/pkg/ratelimit"
	"example.com/hub/pkg/tlsfiles"
	"example.com/hub/services/allinone/internal/datadir"
	"example.com/hub/services/edge"
)

// stopTime bounds the stop: whoever presses Ctrl-C does not want to wait.
const stopTime = 1500 * time.Millisecond

// grpcOverhead is what a gRPC message may take beyond the JSON body that holds the same.
const grpcOverhead = 64 << 10

// Hub is the whole of Hub. Open makes it, Run serves it.
type Hub struct {
	p   *process.Process
	cfg Config

	http, grpc net.Listener
	admin      net.Listener    // nil without HUB_ADMIN_ADDR
	tls        *tlsfiles.Files // of http and grpc; nil without
	dir        *datadir.Dir
	bus        *membus.Bus
	hubs       []grpcserver.Service
	frame      grpcserver.Options // around the hubs
	edge       edge.Deps
}

// Open takes the ports, opens the files and puts everything together. On an error nothing stays
// open.
func Open(ctx context.Context, cfg Config, logger *slog.Logger) (*Hub, error) {
	p, err := process.Open(ctx, "hub", cfg.Trace, logger)
	if err != nil {
		return nil, err
	}
	h := &Hub{p: p, cfg: cfg}
	for _, step := range []func(context.Context) error{h.listen, h.openDir, h.openTokens, h.openHubs, h.openFrame, h.openAdmin, h.openGRPC, h.openCalls, h.openSessions, h.openUsers, h.openTickets, h.openEdge} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, p.Close(ctx))
		}
	}
	return h, nil
}

// Run serves until ctx ends or something fails, then stops everything.
func (h *Hub) Run(ctx context.Context) error {
	// The keys and the pictures of the demo took memory that nothing needs again: 8 MiB.
	debug.FreeOSMemory()
	return h.p.Run(ctx, h.cfg.Edge.DrainSpread+stopTime)
}

// openDir takes the data folder, as listen takes the ports.
func (h *Hub) openDir(context.Context) (err error) {
	if h.dir, err = datadir.Open(h.cfg.DataDir, h.p.Logger); err != nil {
		return fmt.Errorf("HUB_DATA_DIR: %w", err)
	}
	h.p.Add(lifecycle.Closer("data folder", h.dir))
	return nil
}

// openTokens opens Hub's own issuer, or what stands in for an outside one.
func (h *Hub) openTokens(context.Context) error {
	h.edge.Config = h.cfg.Edge
	accepted := h.cfg.Auth
	accepted.PublicURL = cmp.Or(accepted.PublicURL, h.URL())
	own := edge.IssuerDeps{Logger: h.p.Logger, Public: !edge.Loopback(h.cfg.HTTPAddr) || !edge.Loopback(h.cfg.GRPCAddr)}
	if h.cfg.Edge.Issuer.SigningKeysFile == "" {
		h.edge.Config.Issuer.SigningKeysFile = h.dir.Path("signing-keys.pem")
		own.CreateKeys = true
	}
	if h.cfg.demo() {
		own.Clients = edge.DemoClients()
	}
	return h.edge.OpenTokens(h.p, accepted, own, h.cfg.HTTPAddr)
}

// openSessions lets users log in: the demo users, or those of a provider.
func (h *Hub) openSessions(context.Context) error {
	public := cmp.Or(h.cfg.Auth.PublicURL, h.URL())
	secrets := &h.edge.Config.Browser.Secrets
	ownKeys := secrets.File == ""
	if ownKeys {
		if !h.cfg.demo() && h.cfg.Edge.Users.Login.ClientID == "" {
			return nil
		}
		if err := edge.CheckBrowsers(public); err != nil && h.cfg.Edge.Users.Login.ClientID == "" {
			h.p.Logger.Warn("nobody can log in with a browser", "cause", err)
			return nil
		}
		secrets.File = h.dir.Path("secrets")
	}
	return h.edge.OpenSessions(h.p, h.bus, public, ownKeys)
}

// openUsers lets users in: the demo users, or those of a provider.
func (h *Hub) openUsers(context.Context) error {
	return h.edge.OpenUsers(h.p, cmp.Or(h.cfg.Auth.PublicURL, h.URL()))
}

// openTickets makes the keys for the tickets of jumps where there are users.
func (h *Hub) openTickets(context.Context) error {
	keys := &h.edge.Config.Tickets.KeysFile
	ownKeys := *keys == "" && h.edge.Users
	if ownKeys {
		*keys = h.dir.Path("ticket-keys.pem")
	}
	return h.edge.OpenTickets(h.p, cmp.Or(h.cfg.Auth.PublicURL, h.URL()), ownKeys)
}

// openFrame makes the rules for the calls of the hubs, from outside and in memory.
func (h *Hub) openFrame(context.Context) error {
	limiter := ratelimit.New(h.cfg.Limit, ratelimit.Deps{Logger: h.p.Logger})
	limiter.Measure(h.p.Metrics)
	h.frame = grpcserver.Options{
		Verifier:        h.edge.Verifier,
		Limiter:         limiter,
		Logger:          h.p.Logger,
		Access:          h.cfg.Log.Access,
		Tracer:          h.p.Tracer,
		Reflection:      h.cfg.Reflection,
		MaxReceiveBytes: int(h.cfg.Edge.MaxBody) + grpcOverhead,
		Server:          h.tls.GRPC(),
	}
	h.frame.Admit(h.hubs...)
	h.frame.Metrics = h.p.Metrics.GRPCRequests(slices.Collect(maps.Keys(h.frame.Policy)))
	return nil
}

// openAdmin serves what operators and probes ask for, if somewhere.
func (h *Hub) openAdmin(ctx context.Context) (err error) {
	if h.cfg.AdminAddr != "" {
		h.admin, _, err = h.p.Admin(ctx, h.cfg.AdminAddr, h.cfg.AdminTLS)
	}
	return err
}

func (h *Hub) openGRPC(context.Context) error {
	s := grpcserver.New(h.frame)
	for _, hub := range h.hubs {
		hub.Register(s)
	}
	// Half of the time, so that the rest is stopped in order.
	h.p.Add(grpcserver.Part(s, h.grpc, stopTime/2))
	return nil
}

// openCalls lets the edge call the hubs in memory, and their internal methods by a key that nobody else has.
func (h *Hub) openCalls(context.Context) (err error) {
	key := rand.Text() + rand.Text()
	frame := h.frame
	if frame.Edges.Key, err = internalkey.New(key); err != nil {
		return err
	}
	local := grpcserver.NewLocal(frame)
	for _, hub := range h.hubs {
		hub.Register(local)
	}
	h.edge.CallHubs(h.p.Tracer.Conn(local))
	h.edge.EventLog, h.edge.InternalKey = edge.NewEventLog(local, key), key
	return nil
}

func (h *Hub) openEdge(context.Context) error {
	h.edge.Limiter, h.edge.Access = h.frame.Limiter, h.cfg.Log.Access
	if h.edge.Events == nil {
		h.edge.Events = h.bus
	}
	h.edge.Metrics, h.edge.Tracer, h.edge.Logger = h.p.Metrics, h.p.Tracer, h.p.Logger
	e, err := edge.New(h.edge)
	if err != nil {
		return err
	}
	h.p.Add(e.Parts(h.http, h.p.Logger)...)
	return nil
}
