package session

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"example.com/hub/pkg/fault"
)

// Sent tells whether a request has a session cookie that is to be checked: none beside an Authorization
// header, whatever that is.
func (s *Sessions) Sent(r *http.Request) bool {
	return len(r.Header["Authorization"]) == 0 && len(r.CookiesNamed(s.cookie.name)) > 0
}

// Check gives the session of a request's cookie, and renews that where it is time. Fresh asks the store in
// any case, for what needs a permission. Set-Cookie and Cross-Origin-Resource-Policy are added to the
// answer's header.
//
// Its errors are faults: Forbidden for a request of another site, Unauthenticated for a cookie that is not
// good (any more), and Unavailable while nobody can tell.
func (s *Sessions) Check(w http.ResponseWriter, r *http.Request, fresh bool) (Session, error) {
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	if !s.ownSite(r) {
		s.stats.refusedSite.Add(1)
		return Session{}, fault.New(fault.Forbidden, "a session cookie does not count in a request from another site")
	}
	c, err := s.read(r)
	if err != nil {
		s.stats.refusedCookie.Add(1)
		return Session{}, fault.Wrap(fault.Unauthenticated, "the session is not valid", err)
	}
	now := s.deps.Clock()
	session := c.session(s.deps.Config.Lifetime)
	age := now.Sub(time.UnixMilli(c.Renewed))
	switch {
	case s.ended.has(session.ID, now), age >= s.deps.Config.Idle, !now.Before(session.Ends):
		return Session{}, s.over()
	case !fresh && (age < renewFrom || age < Validity && now.UnixMilli() < s.pause.Load()):
		return session, nil
	}
	permissions, err := s.ask(r.Context(), session.ID, now)
	switch {
	case err == nil && age < renewFrom && slices.Equal(permissions, c.Permissions):
		return session, nil
	case err == nil:
		return s.renew(w, c, permissions, now)
	case errors.Is(err, ErrEnded):
		s.forget(session.Username, session.ID)
		return Session{}, s.over()
	case errors.Is(err, ErrUnknown) && age < Validity:
		return session, nil
	case errors.Is(err, ErrUnknown):
		return Session{}, s.over()
	case age < Validity && !fresh:
		return session, nil
	}
	s.stats.refusedAway.Add(1)
	return Session{}, fault.Wrap(fault.Unavailable, "sessions cannot be checked at the moment", err)
}

// over is the answer to a session that has ended.
func (s *Sessions) over() error {
	s.stats.refusedEnded.Add(1)
	return fault.New(fault.Unauthenticated, "the session has ended")
}

// ask asks the store, once for requests that come together.
func (s *Sessions) ask(ctx context.Context, id string, now time.Time) ([]string, error) {
	answer := s.asking.DoChan(id, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		permissions, err := s.deps.Store.Renew(ctx, s.params(id, now))
		s.note(ctx, err)
		return permissions, err
	})
	select {
	case result := <-answer:
		permissions, _ := result.Val.([]string)
		return permissions, result.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *Sessions) params(id string, now time.Time) RenewParams {
	return RenewParams{
		ID: id, Now: now, Idle: s.deps.Config.Idle, Lifetime: s.deps.Config.Lifetime,
	}
}

// note logs when the store goes away, and when it is back.
func (s *Sessions) note(ctx context.Context, err error) {
	away := err != nil && !errors.Is(err, ErrEnded) && !errors.Is(err, ErrUnknown)
	if away {
		s.pause.Store(s.deps.Clock().Add(storePause).UnixMilli())
	}
	switch was := s.away.Swap(away); {
	case away && !was:
		s.deps.Logger.WarnContext(ctx, "sessions are not renewed", "error", err)
	case was && !away:
		s.deps.Logger.InfoContext(ctx, "sessions are renewed again")
	}
}

// renew gives the browser a new cookie.
func (s *Sessions) renew(w http.ResponseWriter, c content, permissions []string, now time.Time) (Session, error) {
	c.Permissions, c.Renewed = permissions, now.UnixMilli()
	if err := s.set(w, c); err != nil {
		return Session{}, fault.Wrap(fault.Internal, "internal error", err)
	}
	s.stats.renewed.Add(1)
	return c.session(s.deps.Config.Lifetime), nil
}

// Lives tells of a stream or socket whether its session still lives. That is no activity: a session does
// not go on because a page is open. While nobody can tell, it lives.
func (s *Sessions) Lives(ctx context.Context, id string) bool {
	now := s.deps.Clock()
	if s.ended.has(id, now) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	p := s.params(id, now)
	p.Passive = true
	_, err := s.deps.Store.Renew(ctx, p)
	s.note(ctx, err)
	return !errors.Is(err, ErrEnded) && !errors.Is(err, ErrUnknown)
}
