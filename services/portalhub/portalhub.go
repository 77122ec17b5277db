// Package portalhub is the hub of the portal as a service: who its users are, their sessions,
// the apps that it leads to, and its news and notices.
package portalhub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"

	"example.com/hub/pkg/retention"
	appv1 "example.com/hub/proto/gen/go/hub/app/v1"
	contentv1 "example.com/hub/proto/gen/go/hub/content/v1"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/portalhub/internal/app"
	"example.com/hub/services/portalhub/internal/content"
	"example.com/hub/services/portalhub/internal/file"
	"example.com/hub/services/portalhub/internal/grpcapi"
	"example.com/hub/services/portalhub/internal/people"
	"example.com/hub/services/portalhub/internal/session"
	"example.com/hub/services/portalhub/internal/visibility"
)

// Store keeps what the domains need, and removes old sessions; store/sqlite and store/postgres have one.
type Store interface {
	session.Store
	app.Store
	people.Store
	content.Store
	file.Store
	retention.Store
	// Ping fails while the store cannot answer.
	Ping(ctx context.Context) error
}

// Blobs keep the bytes of files; blob/disk and blob/s3 have one.
type Blobs = file.Blobs

// Deps are what a Service works with.
type Deps struct {
	Config Config
	// Store is needed. Whoever opened it closes it, after the gRPC server has stopped.
	Store Store
	// Blobs may be nil: the methods of files are then not there.
	Blobs Blobs
	// Clock gives the time; nil means time.Now.
	Clock func() time.Time
	// Logger gets what an operator should see; nil means slog.Default().
	Logger *slog.Logger
}

// Service is the hub of the portal.
type Service struct {
	store    Store
	sessions *session.Service
	apps     *app.Service
	people   *people.Service
	content  *content.Service
	files    *file.Service // nil without blobs
	old      *retention.Loop
}

// New makes a Service. It fails on settings that Config.Validate refuses.
func New(d Deps) (*Service, error) {
	if err := d.Config.Validate(); err != nil {
		return nil, fmt.Errorf("portal hub: %w", err)
	}
	if d.Store == nil {
		return nil, errors.New("portal hub: a store is needed")
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	known := people.New(people.Deps{Store: d.Store, Rules: d.Config.people(), Clock: d.Clock, Logger: d.Logger})
	subjects := visibility.NewCache(viewers{known, d.Config.ByDirectory()}, d.Clock)
	s := &Service{
		store:    d.Store,
		people:   known,
		sessions: session.New(session.Deps{Store: d.Store, People: known, Clock: d.Clock}),
		apps:     app.New(app.Deps{Store: d.Store, Subjects: subjects, Clock: d.Clock}),
		content: content.New(content.Deps{
			Store: d.Store, Subjects: subjects, Rules: d.Config.content(), Clock: d.Clock, Logger: d.Logger,
		}),
		old: retention.New(retention.Deps{
			Area: "session", Store: d.Store, Keep: d.Config.SessionRetention, Clock: d.Clock, Logger: d.Logger,
		}),
	}
	if d.Blobs != nil {
		s.files = file.New(file.Deps{Store: d.Store, Blobs: d.Blobs, MaxSize: d.Config.MaxUpload, Clock: d.Clock, Logger: d.Logger})
	}
	return s, nil
}

// Run removes old sessions, and what crashes have left of uploads, until ctx ends, and sanitises the articles again
// that an older policy has sanitised. It goes on while the database is away, and returns nil. Stop it before the
// store.
func (s *Service) Run(ctx context.Context) error {
	var all errgroup.Group
	all.Go(func() error { return s.old.Run(ctx) })
	all.Go(func() error { return s.content.Run(ctx) })
	if s.files != nil {
		all.Go(func() error { return s.files.Run(ctx) })
	}
	return all.Wait()
}

// Register adds the services to a server that verifies its callers under Policy.
func (s *Service) Register(r grpc.ServiceRegistrar) {
	directory := grpcapi.NewPeople(s.people)
	peoplev1.RegisterSessionServiceServer(r, grpcapi.NewSessions(s.sessions))
	appv1.RegisterAppServiceServer(r, grpcapi.NewApps(s.apps))
	peoplev1.RegisterPeopleServiceServer(r, directory)
	peoplev1.RegisterDirectoryServiceServer(r, directory)
	contentv1.RegisterContentServiceServer(r, grpcapi.NewContent(s.content))
	if s.files != nil {
		contentv1.RegisterFileServiceServer(r, grpcapi.NewFiles(s.files))
	}
}

// Ping tells whether the service can work, for readiness: nil when its database answers.
func (s *Service) Ping(ctx context.Context) error { return s.store.Ping(ctx) }
