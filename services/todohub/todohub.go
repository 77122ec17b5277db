// Package todohub is the todo service of Hub: it stores the todos of all business systems and serves
// them by gRPC.
//
// The binary that embeds it owns the gRPC server, the store and the way callers are verified.
package todohub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"

	"example.com/hub/pkg/retention"
	todov1 "example.com/hub/proto/gen/go/hub/todo/v1"
	"example.com/hub/services/todohub/internal/grpcapi"
	"example.com/hub/services/todohub/internal/todo"
)

// Store keeps the items, and removes them when they are old; store/sqlite has one.
type Store interface {
	todo.Store
	retention.Store
}

// Deps are what a Service works with.
type Deps struct {
	Config Config
	// Store is needed. Whoever opened it closes it, after the gRPC server has stopped.
	Store Store
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets the refusals that an operator should see; nil means slog.Default().
	Logger *slog.Logger
}

// Service is the todo service.
type Service struct {
	store Store
	api   *grpcapi.Server
	old   *retention.Loop
}

// New makes a Service. It fails on settings that Config.Validate refuses.
func New(d Deps) (*Service, error) {
	if err := d.Config.Validate(); err != nil {
		return nil, fmt.Errorf("todo hub: %w", err)
	}
	if d.Store == nil {
		return nil, errors.New("todo hub: a store is needed")
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	todos := todo.New(todo.Deps{Store: d.Store, Rules: d.Config.rules(), Clock: d.Clock, Logger: d.Logger})
	return &Service{
		store: d.Store,
		api:   grpcapi.New(todos),
		old: retention.New(retention.Deps{
			Area: "todo", Store: d.Store, Keep: d.Config.Retention, Clock: d.Clock, Logger: d.Logger,
		}),
	}, nil
}

// Run removes old items, where the settings ask for it, until ctx ends. It goes on while the database is
// away, and returns nil. Stop it before the store.
func (s *Service) Run(ctx context.Context) error { return s.old.Run(ctx) }

// Register adds the service to a server that verifies its callers under Policy.
func (s *Service) Register(r grpc.ServiceRegistrar) {
	todov1.RegisterTodoServiceServer(r, s.api)
}

// Ping tells whether the service can work, for readiness: nil when its database answers.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }
