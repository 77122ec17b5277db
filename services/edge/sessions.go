package edge

import (
	"errors"
	"fmt"

	"example.com/hub/pkg/process"
	peoplev1 "example.com/hub/proto/gen/go/hub/people/v1"
	"example.com/hub/services/edge/internal/origin"
	"example.com/hub/services/edge/internal/people"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/sealed"
	"example.com/hub/services/edge/internal/session"
)

// BrowserConfig are the settings of users who come with a browser.
type BrowserConfig struct {
	Secrets        sealed.Config
	Session        session.Config
	AllowedOrigins []string `env:"HUB_ALLOWED_ORIGINS" help:"comma-separated origins, such as https://portal.example.com, whose pages may call with a user's bearer token from the browser (CORS), never with cookies; empty: none"`
}

// Validate tells all faults of the settings, one in a line.
func (c BrowserConfig) Validate() error {
	var faults []error
	for _, text := range c.AllowedOrigins {
		if err := origin.Check(text); err != nil {
			faults = append(faults, fmt.Errorf("HUB_ALLOWED_ORIGINS: each %w, not %q", err, text))
		}
	}
	return errors.Join(faults...)
}

// CheckBrowsers tells why users cannot log in where browsers reach Hub at publicURL.
func CheckBrowsers(publicURL string) error { return session.CheckPublicURL(publicURL) }

// directory asks portalhub of people; there must be one.
func (d *Deps) directory() *people.Directory {
	return people.NewDirectory(peoplev1.NewPeopleServiceClient(asEdge(d.Portal, d.InternalKey)))
}

// userIDs knows whose the ids of users are; nil means that an id is a username.
func (d *Deps) userIDs() (rest.Directory, error) {
	switch {
	case !d.Config.Users.ByDirectory():
		return nil, nil
	case d.Portal == nil:
		return nil, errors.New("HUB_USER_IDS: directory needs HUB_PORTALHUB_TARGET")
	}
	return people.NewNames(peoplev1.NewPeopleServiceClient(asEdge(d.Portal, d.InternalKey)), d.Clock), nil
}

// groups knows who is in departments and roles; nil where nobody does.
func (d *Deps) groups() rest.Groups {
	if d.Portal == nil {
		return nil
	}
	return d.directory()
}

// authenticator tells who makes a request.
func (d *Deps) authenticator() rest.Authenticator {
	bearer := rest.Bearer{Verifier: d.Verifier}
	if d.bearer != nil {
		bearer.Verifier = d.bearer
	}
	var next rest.Authenticator = bearer
	if permissions := d.Config.Users.Permissions.Map(); d.Portal != nil && permissions.ForRoles() {
		next = withRoles{bearer, people.NewRoles(d.directory(), d.Clock), permissions}
	}
	if d.Sessions == nil {
		return next
	}
	return rest.Cookies{Sessions: d.Sessions, Next: next}
}

// OpenSessions sets Sessions, Keys, Users and Events, for users who log in. Config must be set before, and so
// must Portal and InternalKey where there is one; the bus must be the one that all edges hear. With ownKeys the
// file of keys is made where it is missing, which only an edge that is the only one may do.
func (d *Deps) OpenSessions(p *process.Process, b session.Bus, publicURL string, ownKeys bool) (err error) {
	d.Keys, err = sealed.Open(d.Config.Browser.Secrets, sealed.Deps{CreateKeys: ownKeys, Logger: p.Logger, Clock: d.Clock})
	if err != nil {
		return err
	}
	memory := session.NewMemory()
	var store session.Store = memory
	if d.Portal != nil {
		calls := peoplev1.NewSessionServiceClient(asEdge(d.Portal, d.InternalKey))
		store = session.NewRows(calls, d.Config.Users.Permissions.Map())
	}
	d.Sessions, err = session.New(session.Deps{
		Config: d.Config.Browser.Session, PublicURL: publicURL, Keys: d.Keys, Store: store, Bus: b, Logger: p.Logger, Clock: d.Clock,
	})
	if err != nil {
		return err
	}
	d.Sessions.Watch(func(_, id string) { memory.Forget(id) })
	d.Sessions.Measure(p.Metrics)
	d.Events, d.Users = d.Sessions, true
	return nil
}
