package allinone

import (
	"context"
	"fmt"
	"io"

	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/grpcserver"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/telemetry"
	"example.com/hub/services/allinone/internal/datadir"
	"example.com/hub/services/messagehub"
	inboxdb "example.com/hub/services/messagehub/store/sqlite"
	"example.com/hub/services/portalhub"
	"example.com/hub/services/portalhub/blob/disk"
	portaldb "example.com/hub/services/portalhub/store/sqlite"
	"example.com/hub/services/todohub"
	tododb "example.com/hub/services/todohub/store/sqlite"
)

// hubsConfig are the settings of the hubs.
type hubsConfig struct {
	Todo    todohub.Config
	Message messagehub.Config
	Portal  portalhub.Config
}

// service is a hub that shares the process.
type service interface {
	grpcserver.Service
	// Run does what no call waits for, until ctx ends.
	Run(ctx context.Context) error
	// Measure adds the metrics of the hub.
	Measure(r *telemetry.Registry)
}

// openHubs opens every hub, in the order of their start.
func (h *Hub) openHubs(ctx context.Context) error {
	h.bus = membus.New()
	h.p.Add(lifecycle.Part{Name: "bus", Stop: h.bus.Close})
	for _, open := range []func(context.Context) (service, error){h.openTodo, h.openMessages, h.openPortal} {
		s, err := open(ctx)
		if err != nil {
			return err
		}
		s.Measure(h.p.Metrics)
		h.p.Add(lifecycle.Background("background work", s.Run))
		h.hubs = append(h.hubs, s)
	}
	return nil
}

func (h *Hub) openTodo(ctx context.Context) (service, error) {
	store, err := database(ctx, h, "todohub.db", "todo store", tododb.Open)
	if err != nil {
		return nil, err
	}
	deps := todohub.Deps{Config: h.cfg.Hubs.Todo, Store: store, Publisher: h.bus, Logger: h.p.Logger}
	if h.cfg.demo() && h.cfg.DemoData {
		if err := todohub.FillDemo(ctx, deps); err != nil {
			return nil, err
		}
	}
	return todohub.New(deps)
}

func (h *Hub) openMessages(ctx context.Context) (service, error) {
	store, err := database(ctx, h, "messagehub.db", "inbox store", inboxdb.Open)
	if err != nil {
		return nil, err
	}
	deps := messagehub.Deps{Config: h.cfg.Hubs.Message, Store: store, Publisher: h.bus, Logger: h.p.Logger}
	if h.cfg.demo() && h.cfg.DemoData {
		if err := messagehub.FillDemo(ctx, deps); err != nil {
			return nil, err
		}
	}
	return messagehub.New(deps)
}

func (h *Hub) openPortal(ctx context.Context) (service, error) {
	store, err := database(ctx, h, "portalhub.db", "portal store", portaldb.Open)
	if err != nil {
		return nil, err
	}
	folder, err := h.cfg.filesFolder(h.dir.Path("files"))
	if err != nil {
		return nil, err
	}
	files, err := disk.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("HUB_FILES_URL: %w", err)
	}
	deps := portalhub.Deps{Config: h.cfg.Hubs.Portal, Store: store, Blobs: files, Logger: h.p.Logger}
	if h.cfg.demo() {
		if err := portalhub.FillDemo(ctx, deps); err != nil {
			return nil, err
		}
	}
	return portalhub.New(deps)
}

// store is the database of a hub.
type store interface {
	io.Closer
	Ping(ctx context.Context) error
}

// database opens a file of the data folder, with the name of the store for its readiness.
func database[S store](ctx context.Context, h *Hub, file, name string, open func(context.Context, string) (S, error)) (S, error) {
	s, err := datadir.Database(h.dir, file, func(path string) (S, error) {
		return open(ctx, path)
	})
	if err != nil {
		return s, fmt.Errorf("HUB_DATA_DIR: %w", err)
	}
	h.p.Add(lifecycle.Closer(name, s))
	h.p.Check(name, s.Ping)
	return s, nil
}
