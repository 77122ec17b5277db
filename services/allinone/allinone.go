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
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/health"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/telemetry"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
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

	http, grpc net.Listener
	admin      net.Listener // nil without HUB_ADMIN_ADDR
	issuer     edge.Issuer
	verifier   auth.Verifier
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
	for _, step := range []func(context.Context) error{h.listen, h.openIssuer, h.openHubs, h.openFrame, h.openGRPC, h.openEdge, h.openAdmin} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Run serves until ctx ends or something fails, then stops everything.
func (h *Hub) Run(ctx context.Context) error {
	return lifecycle.Run(ctx, stopTime, h.parts...)
}

// URL is the address of REST, without a slash at the end.
func (h *Hub) URL() string { return "http://" + h.http.Addr().String() }

// AdminURL is the address of health and metrics, without a slash at the end, or "".
func (h *Hub) AdminURL() string {
	if h.admin == nil {
		return ""
	}
	return "http://" + h.admin.Addr().String()
}

// GRPCAddr is the address of native gRPC, host:port.
func (h *Hub) GRPCAddr() string { return h.grpc.Addr().String() }

func (h *Hub) listen(ctx context.Context) (err error) {
	if h.http, err = h.take(ctx, "HUB_HTTP_ADDR", h.cfg.HTTPAddr); err != nil {
		return err
	}
	h.grpc, err = h.take(ctx, "HUB_GRPC_ADDR", h.cfg.GRPCAddr)
	return err
}

func (h *Hub) take(ctx context.Context, setting, addr string) (net.Listener, error) {
	l, part, err := lifecycle.Listen(ctx, setting, addr)
	if err != nil {
		return nil, err
	}
	h.parts = append(h.parts, part)
	return l, nil
}

func (h *Hub) openIssuer(context.Context) error {
	if err := os.MkdirAll(h.cfg.DataDir, 0o700); err != nil {
		return fmt.Errorf("HUB_DATA_DIR: %w", err)
	}
	cfg := h.cfg.Edge
	if cfg.Token.PublicURL == "" {
		cfg.Token.PublicURL = h.URL()
	}
	deps := edge.IssuerDeps{Logger: h.logger}
	if cfg.Token.SigningKeysFile == "" {
		cfg.Token.SigningKeysFile = filepath.Join(h.cfg.DataDir, "signing-keys.pem")
		deps.CreateKeys = true
	}
	if h.cfg.demo() {
		deps.Clients = edge.DemoClients()
	}
	issuer, err := edge.OpenIssuer(cfg, deps)
	if err != nil {
		return err
	}
	h.issuer = issuer
	verifier := auth.NewVerifier(auth.Config{
		Issuer:      issuer.Issuer(),
		Audience:    issuer.Audience(),
		RequireType: auth.TypeAccessToken,
		Keys:        auth.LocalKeys(issuer.Keys),
	})
	verifier.Measure(h.metrics)
	h.verifier = verifier
	return nil
}

func (h *Hub) openHubs(ctx context.Context) error {
	todos, err := tododb.Open(ctx, filepath.Join(h.cfg.DataDir, "todohub.db"))
	if err != nil {
		return fmt.Errorf("HUB_DATA_DIR: %w", err)
	}
	h.parts = append(h.parts, lifecycle.Closer("todo store", todos))
	records, err := inboxdb.Open(ctx, filepath.Join(h.cfg.DataDir, "messagehub.db"))
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
	h.messages.Measure(h.metrics)
	h.parts = append(h.parts, lifecycle.Background("announcements", h.messages.Run))
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
	h.frame = grpcserver.Options{
		Verifier:        verifier,
		Policy:          policy,
		Logger:          h.logger,
		Metrics:         h.metrics.GRPCRequests(slices.Collect(maps.Keys(policy))),
		Reflection:      h.cfg.Reflection,
		MaxReceiveBytes: int(h.cfg.Edge.MaxBody) + grpcOverhead,
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
		Config:   h.cfg.Edge,
		Todo:     todov1.NewTodoServiceClient(local),
		Messages: messagev1.NewMessageServiceClient(local),
		Events:   h.bus,
		EventLog: edge.NewEventLog(local, h.eventKey),
		Verifier: h.verifier,
		Issuer:   h.issuer,
		Metrics:  h.metrics,
		Logger:   h.logger,
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
	l, err := h.take(ctx, "HUB_ADMIN_ADDR", h.cfg.AdminAddr)
	if err != nil {
		return err
	}
	h.admin = l
	state := health.New(
		health.Check{Name: "todo store", Probe: h.todo.Ping},
		health.Check{Name: "inbox store", Probe: h.messages.Ping},
	)
	h.parts = append(h.parts, lifecycle.HTTP("admin", state.NewServer(h.metrics.Handler()), l), state.Probing())
	return nil
}
