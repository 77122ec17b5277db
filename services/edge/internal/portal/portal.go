// Package portal has the pages of the portal and what they ask for, without a hub.
package portal

import (
	"context"
	"log/slog"
	"net/http"
	"slices"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/front"
	"example.com/hub/services/edge/internal/login"
	"example.com/hub/services/edge/internal/page"
	"example.com/hub/services/edge/internal/people"
	"example.com/hub/services/edge/internal/rest"
	"example.com/hub/services/edge/internal/session"
	"example.com/hub/web"
)

// Home is the page of the portal.
const Home = login.Home

// Sessions are those of the users.
type Sessions interface {
	rest.Sessions
	// End ends a session everywhere, and takes the cookie from the browser.
	End(w http.ResponseWriter, r *http.Request, session session.Session) error
}

// People are those of the directory, or without one those who have logged in.
type People interface {
	// Find gives a person; ok is false for who is not known.
	Find(ctx context.Context, username string) (p people.Person, ok bool, err error)
}

// Deps are what a portal is made of.
type Deps struct {
	Login    *login.Login
	Sessions Sessions
	People   People
	// ByDirectory says that an id of a user is that of the directory, and not her username.
	ByDirectory bool
	// MaskErrors answers every failure but 401 and 403 with status 200.
	MaskErrors bool
	Logger     *slog.Logger
}

// Portal answers the paths of the portal.
type Portal struct {
	Deps

	tree *web.Tree
}

// Area lists the endpoints of the portal.
func Area(d Deps) (rest.Area, error) {
	tree, err := web.New()
	if err != nil {
		return rest.Area{}, err
	}
	p := &Portal{d, tree}
	anyone, user := auth.Rule{Anyone: true}, auth.Rule{User: true}
	get := func(path string, rule auth.Rule, serve http.HandlerFunc) rest.Endpoint {
		return rest.Endpoint{Method: http.MethodGet, Path: path, Rule: rule, Serve: serve}
	}
	return rest.Area{Home: Home, Endpoints: []rest.Endpoint{
		get(Home, anyone, p.serveHome),
		get(web.Assets+"{tree}/{part}/{file}", anyone, p.serveFile),
		get(web.Assets+"{tree}/{part}/{folder}/{file}", anyone, p.serveFile),
		get(page.PathStyle, anyone, page.ServeStyle),
		get(page.PathIcon, anyone, page.ServeIcon),
		get(login.PathLogin, anyone, d.Login.ServeLogin),
		get(login.PathCallback, anyone, d.Login.ServeCallback),
		{Method: http.MethodPost, Path: login.PathLogout, Rule: user, Serve: p.serveLogout},
		get("/portal/me", user, p.serveMe),
	}}, nil
}

// serveFile answers a file of the page. One of another release is unknown.
func (p *Portal) serveFile(w http.ResponseWriter, r *http.Request) {
	if !p.tree.ServeFile(w, r) {
		front.Fail(w, front.Failure{Status: http.StatusNotFound, Msg: "unknown path"}, p.MaskErrors)
	}
}

// serveHome shows the page to who has a session, and sends everybody else to the login.
func (p *Portal) serveHome(w http.ResponseWriter, r *http.Request) {
	if !p.Sessions.Sent(r) {
		p.Login.Ask(w, r)
		return
	}
	_, err := p.Sessions.Check(w, r, false)
	if err == nil {
		page.Protect(w)
		p.tree.ServePage(w, r)
		return
	}
	switch fault.KindOf(err) {
	case fault.Unauthenticated:
		p.Login.Ask(w, r)
	case fault.Forbidden:
		page.Write(w, http.StatusForbidden, page.Page{
			Title: "This page cannot be shown here", Text: "Open it in a window of its own.",
			Links: []page.Link{{Href: Home, Text: "To the portal"}},
		})
	case fault.Unavailable:
		w.Header().Set("Retry-After", "1")
		page.Write(w, http.StatusServiceUnavailable, page.Page{
			Title: "The portal is not available", Text: "Try it again in a moment.",
			Links: []page.Link{{Href: Home, Text: "Try again"}},
		})
	default:
		p.Logger.ErrorContext(r.Context(), "page not shown", "cause", err)
		page.Write(w, http.StatusInternalServerError, page.Page{Title: "Something went wrong", Text: "Try it again later."})
	}
}

// me is who calls; what is not known is null.
type me struct {
	Username    string   `json:"username"`
	UserID      *string  `json:"userId"`
	Name        *string  `json:"name"`
	Email       *string  `json:"email"`
	Dept        *string  `json:"dept"`
	Roles       []string `json:"roles"`
	Permissions []string `json:"permissions"`
	// SessionExpiresAt is when the session ends in any case, in RFC 3339; who has a token has no session.
	SessionExpiresAt *string `json:"sessionExpiresAt"`
}

// serveMe tells a user who she is.
func (p *Portal) serveMe(w http.ResponseWriter, r *http.Request) {
	caller, _ := auth.From(r.Context())
	answer := me{Username: caller.User, Permissions: sorted(caller.Permissions)}
	who, known, err := p.People.Find(r.Context(), caller.User)
	if err != nil {
		p.Logger.WarnContext(r.Context(), "person not found", "cause", err)
	}
	if known {
		answer.Name, answer.Email, answer.Dept, answer.Roles = text(who.Name), text(who.Email), text(who.DeptID), sorted(who.Claims, who.Roles)
	}
	if answer.UserID = &caller.User; p.ByDirectory {
		answer.UserID = text(who.UserID)
	}
	if caller.Session != "" {
		expires := caller.Expires.UTC().Format("2006-01-02T15:04:05Z")
		answer.SessionExpiresAt = &expires
	}
	front.Succeed(w, answer)
}

// text gives nil for what is not known.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// sorted gives all names once, in a list that is not nil.
func sorted(names ...[]string) []string {
	out := append([]string{}, slices.Concat(names...)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// serveLogout ends the session of a user, and tells where she may end that of her provider.
func (p *Portal) serveLogout(w http.ResponseWriter, r *http.Request) {
	caller, _ := auth.From(r.Context())
	if caller.Session == "" {
		front.Fail(w, front.Failure{Status: http.StatusForbidden, Msg: "only a session can be ended"}, p.MaskErrors)
		return
	}
	err := p.Sessions.End(w, r, session.Session{ID: caller.Session, Username: caller.User})
	if err != nil {
		p.Logger.WarnContext(r.Context(), "session not ended", "cause", err)
		front.Fail(w, front.Unavailable, p.MaskErrors)
		return
	}
	front.Succeed(w, struct {
		LogoutURL *string `json:"logoutUrl"`
	}{text(p.Login.LogoutURL(r.Context()))})
}
