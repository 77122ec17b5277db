package edge

import (
	"context"
	"net/http"

	"example.com/hub/pkg/auth/keys"
	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/lifecycle"
	"example.com/hub/pkg/process"
	"example.com/hub/services/edge/internal/demoidp"
	"example.com/hub/services/edge/internal/login"
	"example.com/hub/services/edge/internal/people"
	"example.com/hub/services/edge/internal/permission"
	"example.com/hub/services/edge/internal/portal"
	"example.com/hub/services/edge/internal/session"
)

// OpenUsers lets users in: those of the provider with access tokens, and where they log in with sessions. The
// demo users stand in for them where there are demo clients on loopback. It comes after OpenTokens and
// OpenSessions, without which nobody logs in, and publicURL is the address by which browsers reach Hub.
func (d *Deps) OpenUsers(p *process.Process, publicURL string) error {
	users := d.Config.Users
	logIn := login.Deps{Config: users.Login, PublicURL: publicURL, Issuer: users.IssuerURL, Claims: users.UserClaims}
	switch {
	case users.IssuerURL != "":
		remote := keys.NewRemote(keys.Config{Issuer: users.IssuerURL, Logger: p.Logger})
		p.Add(lifecycle.Part{Name: "keys of users", Stop: func(context.Context) error { remote.Close(); return nil }})
		logIn.Keys = remote
	case d.Hosts == nil || d.Sessions == nil:
		return nil
	default:
		if err := d.openDemo(&users, &logIn); err != nil {
			return err
		}
	}
	d.audiences = append(d.audiences, users.Audience, logIn.Config.ClientID)
	accepted := users.tokens()
	accepted.Keys, accepted.Clock = logIn.Keys, d.Clock
	if err := d.acceptUsers(users, accepted); err != nil {
		return err
	}
	if logIn.Config.ClientID == "" {
		return nil
	}
	return d.openLogin(p, logIn, users.Permissions.Map())
}

// HasPortal tells whether users can log in.
func (d *Deps) HasPortal() bool { return len(d.pages) > 0 }

// openDemo puts the demo provider into the place of an outside one.
func (d *Deps) openDemo(users *UserConfig, logIn *login.Deps) error {
	demo, err := demoidp.New(demoidp.Deps{
		PublicURL: logIn.PublicURL, RedirectURI: logIn.PublicURL + login.PathCallback, Clock: d.Clock,
	})
	if err != nil {
		return err
	}
	users.IssuerURL, users.Audience, users.Scope = demo.Issuer(), demoidp.Audience, demoidp.ScopeUser
	users.UserClaims = token.UserClaims{Username: "preferred_username", Roles: "roles"}
	logIn.Config.ClientID, logIn.Config.SecretFile = demoidp.ClientID, ""
	logIn.Issuer, logIn.Claims, logIn.Keys, logIn.Transport = users.IssuerURL, users.UserClaims, keys.Local(demo.Keys), demo
	d.pages = append(d.pages, demo.Area())
	return nil
}

// acceptUsers lets bearer tokens of users count beside those of clients.
func (d *Deps) acceptUsers(users UserConfig, accepted token.UserConfig) error {
	if d.clients.Issuer() != users.IssuerURL {
		d.bearer = token.Kinds{Clients: d.clients, Users: token.NewUsers(accepted)}
		return nil
	}
	if err := users.checkShared(d.clients.Audience()); err != nil {
		return err
	}
	d.bearer = token.NewShared(d.clients, accepted)
	return nil
}

func (d *Deps) openLogin(p *process.Process, logIn login.Deps, permissions permission.Map) error {
	proxies, err := d.Config.proxies()
	if err != nil {
		return err
	}
	var known knownPeople = people.NewMemory()
	begin := beginner{sessions: d.Sessions, permissions: permissions}
	if d.Portal != nil {
		begin.directory = d.directory()
		known = begin.directory
	}
	logIn.Sealer, logIn.People, logIn.Sessions = d.Keys, known, begin
	logIn.RemoteAddr, logIn.Clock, logIn.Logger = proxies.Caller, d.Clock, p.Logger
	l, err := login.New(logIn)
	if err != nil {
		return err
	}
	p.Add(lifecycle.Part{Name: "login", Stop: func(context.Context) error { l.Close(); return nil }})
	d.ask = l.Ask
	pages, err := portal.Area(portal.Deps{
		Login: l, Sessions: d.Sessions, People: known, ByDirectory: d.Config.Users.ByDirectory(),
		MaskErrors: d.Config.ErrorStatus == http.StatusOK, Logger: p.Logger,
	})
	if err != nil {
		return err
	}
	d.pages = append(d.pages, pages)
	return nil
}

// knownPeople are those of one edge, or of the directory.
type knownPeople interface {
	login.People
	portal.People
}

// beginner begins sessions with the permissions that the roles of a person have.
type beginner struct {
	sessions    *session.Sessions
	permissions permission.Map
	// directory has more roles; nil where there is none.
	directory *people.Directory
}

// Begin implements login.Sessions.
func (b beginner) Begin(w http.ResponseWriter, r *http.Request, who token.Identity) error {
	var known people.Person
	if b.directory != nil {
		known, _, _ = b.directory.Find(r.Context(), who.Username) // the first renewal asks again
	}
	return b.sessions.Begin(w, r, session.Person{
		Username: who.Username, Name: who.Name, Claims: who.Roles, Permissions: b.permissions.Of(who.Roles, known.Roles),
	})
}
