// Package messagehub is the message area as a service: business systems push messages to users, and
// a portal lists inboxes, counts unread records and marks messages read.
package messagehub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/retention"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/grpcapi"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/outbox"
)

// Store keeps the messages and the inbox records, and removes them when they are old; store/sqlite and
// store/postgres have one.
type Store interface {
	inbox.Store
	retention.Store
}

// Log is the event log of a store that several processes share; the Store of store/postgres is one.
type Log = outbox.Log

// Stats count the announcements of events.
type Stats = outbox.Stats

// Deps are what a Service works with.
type Deps struct {
	Config Config
	// Store is needed. Whoever opened it closes it, after the gRPC server has stopped.
	Store Store
	// Publisher is needed. It hears of every record that was stored or switched, after the commit.
	Publisher bus.Publisher
	// Log has what is announced again when nobody hears of it. It is nil with a Store that keeps none.
	Log Log
	// Subscriber is needed with a Log, and hears what Publisher publishes.
	Subscriber bus.Subscriber
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets the counts of each push, at level debug; nil means slog.Default().
	Logger *slog.Logger
}

// Service is the message area, ready to be registered on a gRPC server whose frame verifies
// tokens and turns faults into a status (pkg/grpcserver).
type Service struct {
	store  inbox.Store
	outbox *outbox.Outbox
	api    *grpcapi.Server
	admin  *grpcapi.Admin
	events *grpcapi.Events
	old    *retention.Loop

	maxTargets int
}

// New makes the service. The error names what is missing or out of range.
func New(d Deps) (*Service, error) {
	if d.Store == nil || d.Publisher == nil {
		return nil, errors.New("message hub: a store and a publisher are needed")
	}
	if err := d.Config.Validate(); err != nil {
		return nil, fmt.Errorf("message hub: %w", err)
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	announcements, err := outbox.New(outbox.Deps{
		Log: d.Log, Publisher: d.Publisher, Subscriber: d.Subscriber, Logger: d.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("message hub: %w", err)
	}
	service := inbox.New(inbox.Deps{
		Store: d.Store, Publisher: announcements, Rules: d.Config.rules(), Clock: d.Clock, Logger: d.Logger,
	})
	return &Service{
		store:  d.Store,
		outbox: announcements,
		api:    grpcapi.New(service),
		admin:  grpcapi.NewAdmin(service),
		events: grpcapi.NewEvents(announcements, service),
		old: retention.New(retention.Deps{
			Area: "message", Store: d.Store, Keep: d.Config.Retention, Clock: d.Clock, Logger: d.Logger,
		}),

		maxTargets: d.Config.MaxTargets,
	}, nil
}

// Run sweeps up events that were not announced, and removes old records where the settings ask for it,
// until ctx ends. It goes on while the database or the bus is away, and returns nil. Stop it after the
// gRPC server, and before the bus and the store.
func (s *Service) Run(ctx context.Context) error {
	var removal sync.WaitGroup
	defer removal.Wait()
	removal.Go(func() { _ = s.old.Run(ctx) }) // always nil
	return s.outbox.Run(ctx)
}

// Stats reads the counters of the announcements.
func (s *Service) Stats() Stats { return s.outbox.Stats() }

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) {
	messagev1.RegisterMessageServiceServer(r, s.api)
	messagev1.RegisterInboxAdminServiceServer(r, s.admin)
	eventv1.RegisterEventServiceServer(r, s.events)
}

// Ping fails while the store cannot answer; it is the readiness check.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }
