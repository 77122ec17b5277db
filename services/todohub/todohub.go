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
	"sync"
	"time"

	"google.golang.org/grpc"

	"example.com/hub/pkg/bus"
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
	// Publisher is needed. It hears of every change of a todo, after the commit.
	Publisher bus.Publisher
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets the refusals that an operator should see; nil means slog.Default().
	Logger *slog.Logger
}

// Service is the todo service.
type Service struct {
	store Store
	todos *todo.Service
	api   *grpcapi.Server
	admin *grpcapi.Admin
	old   *retention.Loop
}

// New makes a Service. It fails on settings that Config.Validate refuses.
func New(d Deps) (*Service, error) {
	if err := d.Config.Validate(); err != nil {
		return nil, fmt.Errorf("todo hub: %w", err)
	}
	if d.Store == nil || d.Publisher == nil {
		return nil, errors.New("todo hub: a store and a publisher are needed")
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	todos := todo.New(todo.Deps{
		Store: d.Store, Publisher: d.Publisher, Rules: d.Config.rules(), Clock: d.Clock, Logger: d.Logger,
	})
	return &Service{
		store: d.Store,
		todos: todos,
		api:   grpcapi.New(todos),
		admin: grpcapi.NewAdmin(todos),
		old: retention.New(retention.Deps{
			Area: "todo", Store: d.Store, Keep: d.Config.Retention, Clock: d.Clock, Logger: d.Logger,
		}),
	}, nil
}

// Run removes old items, where the settings ask for it, and tells users of changes that ended without an
// answer, until ctx ends. It goes on while the database is away, and returns nil. Stop it before the bus and
// the store.
func (s *Service) Run(ctx context.Context) error {
	var settling sync.WaitGroup
	defer settling.Wait()
	settling.Go(func() { s.todos.Settle(ctx) })
	return s.old.Run(ctx)
}

// Register adds the service to a server that verifies its callers under Policy.
func (s *Service) Register(r grpc.ServiceRegistrar) {
	todov1.RegisterTodoServiceServer(r, s.api)
	todov1.RegisterTodoAdminServiceServer(r, s.admin)
}

// Ping tells whether the service can work, for readiness: nil when its database answers.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }
