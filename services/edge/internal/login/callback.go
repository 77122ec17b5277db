package login

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"example.com/hub/pkg/auth/token"
	"example.com/hub/pkg/fault"
	"example.com/hub/services/edge/internal/page"
	"example.com/hub/services/edge/internal/provider"
)

// ServeCallback answers PathCallback, to which the provider sends the browser back.
//
// Its success is a page, not a redirect: cookies with SameSite=Strict are not sent along a chain of
// redirects that began at another site.
func (l *Login) ServeCallback(w http.ResponseWriter, r *http.Request) {
	if !l.admit(w, r, PathCallback) {
		return
	}
	p, code, err := l.answerOf(w, r)
	if err != nil {
		l.refuse(w, r, err)
		return
	}
	select {
	case l.exchanges <- struct{}{}:
		defer func() { <-l.exchanges }()
	default:
		l.away(w, r, errors.New("too many logins at one time"))
		return
	}
	who, err := l.provider.exchange(r.Context(), code, p)
	if err != nil {
		l.refuse(w, r, err)
		return
	}
	if err := l.people.LogIn(r.Context(), who); err != nil {
		l.forbid(w, r, who, err)
		return
	}
	if err := l.sessions.Begin(w, r, who); err != nil {
		l.refuse(w, r, err)
		return
	}
	l.logger.InfoContext(r.Context(), "logged in", "audit", true, "user", who.Username)
	page.Write(w, http.StatusOK, page.Page{Title: "You are logged in", Refresh: p.ReturnTo})
}

// answerOf gives the code that the provider sent, and the login that it answers.
func (l *Login) answerOf(w http.ResponseWriter, r *http.Request) (pending, string, error) {
	p, err := l.take(w, r)
	if err != nil {
		return pending{}, "", err
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return pending{}, "", errors.New("the query cannot be read")
	}
	for _, name := range []string{"state", "code", "iss", "error"} {
		if len(q[name]) > 1 {
			return pending{}, "", fmt.Errorf("%s is there twice", name)
		}
	}
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(p.State)) != 1 {
		return pending{}, "", errors.New("state is not that of the login")
	}
	if err := l.provider.checkIssuer(r.Context(), q); err != nil {
		return pending{}, "", err
	}
	switch code := q.Get("code"); {
	case q.Has("error"):
		return pending{}, "", fmt.Errorf("the provider refused the login: %q", provider.ErrorCode(q.Get("error")))
	case code == "":
		return pending{}, "", errors.New("there is no code")
	default:
		return p, code, nil
	}
}

// refuse answers a login that did not work. What is wrong is for the log only, since it may tell an attacker
// how far she got.
func (l *Login) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		err = errors.Join(err, context.Cause(r.Context()))
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		switch f.Kind {
		case fault.Unavailable:
			l.away(w, r, err)
			return
		case fault.Internal:
			l.broken(w, r, err)
			return
		}
	}
	l.logger.WarnContext(r.Context(), "login refused", "address", l.address(r), "cause", err)
	page.Write(w, http.StatusBadRequest, page.Page{
		Title: "The login did not work", Text: "It may have taken too long, or was begun in another window.",
		Links: []page.Link{{Href: PathLogin, Text: "Log in again"}},
	})
}

// forbid answers a person who is known to the provider and may not come in.
func (l *Login) forbid(w http.ResponseWriter, r *http.Request, who token.Identity, err error) {
	if fault.KindOf(err) != fault.Forbidden {
		l.refuse(w, r, err)
		return
	}
	cause := fault.As(err)
	l.logger.WarnContext(r.Context(), "login refused", "audit", true, "user", who.Username, "issuer", who.Issuer,
		"subject", who.Subject, "other_subject", errors.Is(err, ErrOtherSubject), "cause", cause.Public)
	page.Write(w, http.StatusForbidden, page.Page{
		Title: "You have no access", Text: "Your provider knows you, but you may not use this portal. Ask whoever runs it.",
	})
}

// away answers a login that may work later.
func (l *Login) away(w http.ResponseWriter, r *http.Request, cause error) {
	l.logger.WarnContext(r.Context(), "login not possible", "cause", cause)
	setRetryAfter(w, time.Second)
	page.Write(w, http.StatusServiceUnavailable, page.Page{
		Title: "The login is not available", Text: "Try it again in a moment.",
		Links: []page.Link{{Href: PathLogin, Text: "Log in again"}},
	})
}

// broken answers a defect of Hub.
func (l *Login) broken(w http.ResponseWriter, r *http.Request, cause error) {
	l.logger.ErrorContext(r.Context(), "login failed", "cause", cause)
	page.Write(w, http.StatusInternalServerError, page.Page{Title: "Something went wrong", Text: "Try it again later."})
}

func setRetryAfter(w http.ResponseWriter, d time.Duration) {
	w.Header().Set("Retry-After", strconv.FormatInt(int64(math.Ceil(d.Seconds())), 10))
}
