package rest

import (
	"net/http"

	"example.com/hub/pkg/auth"
	"example.com/hub/services/edge/internal/session"
)

// Sessions are those of users who log in.
type Sessions interface {
	// Sent tells whether a request has a session cookie that is to be checked.
	Sent(r *http.Request) bool
	// Check gives the session of a request's cookie; fresh asks whether it lives in any case. Fields are added
	// to the header of the answer. Its errors are those of an Authenticator.
	Check(w http.ResponseWriter, r *http.Request, fresh bool) (session.Session, error)
}

// Cookies is an Authenticator by the cookie of a user's session, and by Next where that does not count.
type Cookies struct {
	Sessions Sessions
	Next     Authenticator
}

// Authenticate implements Authenticator.
func (c Cookies) Authenticate(w http.ResponseWriter, r *http.Request, rule auth.Rule) (auth.Principal, error) {
	if !c.Sessions.Sent(r) {
		return c.Next.Authenticate(w, r, rule)
	}
	s, err := c.Sessions.Check(w, r, rule.Permission != "")
	if err != nil {
		return auth.Principal{}, err
	}
	return auth.Principal{User: s.Username, Permissions: s.Permissions, Session: s.ID, Expires: s.Ends}, nil
}
