// Package messagehub is the message area as a service: business systems push messages to users, and
// a portal lists inboxes, counts unread records and marks messages read.
package messagehub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	messagev1 "example.com/hub/proto/gen/go/hub/message/v1"
	"example.com/hub/services/messagehub/internal/grpcapi"
	"example.com/hub/services/messagehub/internal/inbox"
)

// Store keeps the messages and the inbox records; store/sqlite has one.
type Store = inbox.Store

// Deps are what a Service works with.
type Deps struct {
	Config Config
	// Store is needed. Whoever opened it closes it, after the gRPC server has stopped.
	Store Store
	// Publisher is needed. It hears of every record that was stored or switched, after the commit.
	Publisher bus.Publisher
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets the counts of each push, at level debug; nil means slog.Default().
	Logger *slog.Logger
}

// Service is the message area, ready to be registered on a gRPC server whose interceptor verifies
// tokens and turns faults into a status (pkg/grpcserver).
type Service struct {
	store inbox.Store
	api   *grpcapi.Server
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
	service := inbox.New(inbox.Deps{
		Store: d.Store, Publisher: d.Publisher, Rules: d.Config.rules(), Clock: d.Clock, Logger: d.Logger,
	})
	return &Service{store: d.Store, api: grpcapi.New(service)}, nil
}

// Register adds the service to a gRPC server.
func (s *Service) Register(r grpc.ServiceRegistrar) { messagev1.RegisterMessageServiceServer(r, s.api) }

// Policy names the scope that each method needs (contract, Authentication 1).
func (s *Service) Policy() auth.Policy {
	return auth.Policy{
		messagev1.MessageService_PushMessage_FullMethodName: auth.ScopeClient,
		messagev1.MessageService_ListInbox_FullMethodName:   auth.ScopeClient,
		messagev1.MessageService_CountUnread_FullMethodName: auth.ScopeClient,
		messagev1.MessageService_MarkRead_FullMethodName:    auth.ScopeClient,
	}
}

// Ping fails while the store cannot answer; it is the readiness check.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }
