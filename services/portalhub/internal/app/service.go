package app

import (
	"context"
	"slices"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/services/portalhub/internal/visibility"
)

// Deps are what a Service works with. All of them are needed.
type Deps struct {
	Store Store
	// Subjects know who a viewer is.
	Subjects visibility.Subjects
	Clock    func() time.Time
}

// Service is the apps area. It is safe for concurrent use.
type Service struct {
	store    Store
	subjects visibility.Subjects
	now      func() time.Time
}

// New makes a Service.
func New(d Deps) *Service {
	return &Service{store: d.Store, subjects: d.Subjects, now: d.Clock}
}

// Visible gives the apps that are enabled and visible to a user, by Sort, then Name.
func (s *Service) Visible(ctx context.Context, username string) ([]App, error) {
	apps, err := s.store.ListApps(ctx, ListParams{Enabled: true})
	if err != nil {
		return nil, err
	}
	subjects, err := s.subjects.Subjects(ctx, username)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(apps, func(a App) bool { return !visibility.Admits(a.VisibleFor, subjects) }), nil
}

// Jump is where a jump leads.
type Jump struct {
	URL    string
	SignOn SignOn
}

// Jump gives the address to which a user jumps: the app's entry, or a path below it. Faults: NotFound also when
// the app is disabled or not visible to her; Invalid.
func (s *Service) Jump(ctx context.Context, username, id, to string) (Jump, error) {
	var c field.Checks
	if c.ID("app_id", id); c.Err() != nil {
		return Jump{}, c.Err()
	}
	a, err := s.store.GetApp(ctx, GetParams{ID: id})
	if err != nil {
		return Jump{}, err
	}
	subjects, err := s.subjects.Subjects(ctx, username)
	if err != nil {
		return Jump{}, err
	}
	if !a.Enabled || !visibility.Admits(a.VisibleFor, subjects) {
		return Jump{}, NotFound(id)
	}
	url, err := resolve(a.EntryURL, to)
	if err == nil && a.SignOn == Ticket && namesTicket(url) {
		return Jump{}, fault.Field("to", "to must not have a parameter "+ticketParam+", which is the one that Hub adds")
	}
	return Jump{url, a.SignOn}, err
}

// List gives all apps, by Sort, then Name.
func (s *Service) List(ctx context.Context) ([]App, error) {
	return s.store.ListApps(ctx, ListParams{})
}

// CreateRequest is a new app. A SignOn of 0 is NoSignOn, and a nil Enabled is true.
type CreateRequest struct {
	ID string
	Settings
	Enabled *bool
}

// Create adds an app. Faults: Invalid; Conflict when there is one with the id.
func (s *Service) Create(ctx context.Context, by string, r CreateRequest) (App, error) {
	p := CreateParams{Stamp: s.stamp(by), ID: r.ID, Settings: r.Settings, Enabled: r.Enabled == nil || *r.Enabled, Most: MaxApps}
	if err := complete(p.ID, &p.Settings); err != nil {
		return App{}, err
	}
	created, err := s.store.CreateApp(ctx, p)
	if err != nil {
		return App{}, err
	}
	if !created {
		return App{}, s.whyNot(ctx, p.ID)
	}
	return App{
		ID: p.ID, Settings: p.Settings, Enabled: p.Enabled,
		CreateTime: p.Now, ModifyTime: p.Now, CreatorID: p.By, ModifierID: p.By,
	}, nil
}

// whyNot gives the fault of an app that was not created.
func (s *Service) whyNot(ctx context.Context, id string) error {
	_, err := s.store.GetApp(ctx, GetParams{ID: id})
	switch {
	case err == nil:
		return exists(id)
	case fault.KindOf(err) == fault.NotFound:
		return tooMany(id)
	}
	return err
}

// UpdateRequest is what is now said of an app. A SignOn of 0 is NoSignOn, and a nil Enabled leaves it as it is.
type UpdateRequest CreateRequest

// Update replaces what is said of an app. Faults: Invalid; NotFound.
func (s *Service) Update(ctx context.Context, by string, r UpdateRequest) (App, error) {
	p := UpdateParams{Stamp: s.stamp(by), ID: r.ID, Settings: r.Settings, Enabled: r.Enabled}
	if err := complete(p.ID, &p.Settings); err != nil {
		return App{}, err
	}
	return s.store.UpdateApp(ctx, p)
}

// Enable lets an app be seen, or hides it. One that is so already stays as it is. Faults: Invalid; NotFound.
func (s *Service) Enable(ctx context.Context, by, id string, enabled bool) (App, error) {
	var c field.Checks
	if c.ID("app_id", id); c.Err() != nil {
		return App{}, c.Err()
	}
	return s.store.EnableApp(ctx, EnableParams{Stamp: s.stamp(by), ID: id, Enabled: enabled})
}

// complete fills in the defaults and checks.
func complete(id string, s *Settings) error {
	if s.SignOn == 0 {
		s.SignOn = NoSignOn
	}
	if s.VisibleFor == nil {
		s.VisibleFor = []string{}
	}
	var c field.Checks
	c.ID("app_id", id)
	s.check(&c)
	return c.Err()
}

func (s *Service) stamp(by string) Stamp { return Stamp{By: by, Now: field.Micro(s.now())} }
