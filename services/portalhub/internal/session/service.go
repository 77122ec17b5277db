// Package session knows which sessions of users live. It never learns the id of one, only the hash.
package session

import (
	"context"
	"errors"
	"time"

	"example.com/hub/pkg/field"
)

// noteEvery is how much later than noted a user must be there for it to be noted again. What asks with every
// request, such as an admin's calls, so writes once in that time.
const noteEvery = time.Minute

// Deps are what a Service works with. All of them are needed.
type Deps struct {
	Store  Store
	People People
	Clock  func() time.Time
}

// People know who users are now.
type People interface {
	// Standing tells whether a user may have a session, and gives the ids of her roles in the directory.
	Standing(ctx context.Context, username string) (active bool, roles []string, err error)
}

// Service is the sessions. It is safe for concurrent use.
type Service struct {
	store  Store
	people People
	now    func() time.Time
}

// New makes a Service.
func New(d Deps) *Service { return &Service{store: d.Store, people: d.People, now: d.Clock} }

// Begin begins a session. Faults: Invalid.
func (s *Service) Begin(ctx context.Context, r BeginRequest) error {
	p, err := r.params(field.Micro(s.now()))
	if err != nil {
		return err
	}
	return s.store.BeginSession(ctx, p)
}

// RenewResult tells of a session.
type RenewResult struct {
	// Active is false when the session does not live, or its user is not active; the rest is empty then.
	Active bool
	// Claims are those of the login, and Roles the ids of those that she has in the directory now.
	Claims, Roles []string
}

// Renew tells whether a session lives and its user is active, and notes that she was there. Faults: Invalid.
func (s *Service) Renew(ctx context.Context, r RenewRequest) (RenewResult, error) {
	if err := r.check(); err != nil {
		return RenewResult{}, err
	}
	row, err := s.store.GetSession(ctx, GetParams{Hash: r.Hash})
	if errors.Is(err, ErrUnknown) {
		return RenewResult{}, nil
	}
	now := field.Micro(s.now())
	if err != nil || !row.lives(now, r) {
		return RenewResult{}, err
	}
	active, roles, err := s.people.Standing(ctx, row.Username)
	if err != nil || !active {
		return RenewResult{}, err
	}
	if !r.Passive && now.Sub(row.Renewed) >= noteEvery {
		if lives, err := s.store.RenewSession(ctx, RenewParams{Hash: r.Hash, Now: now}); err != nil || !lives {
			return RenewResult{}, err
		}
	}
	return RenewResult{Active: true, Claims: row.Claims, Roles: roles}, nil
}

func (s Session) lives(now time.Time, r RenewRequest) bool {
	return s.Ended == nil && now.Sub(s.Renewed) < r.Idle && now.Sub(s.Begun) < r.Lifetime
}

// End ends a session, whether it lives or not. Faults: Invalid.
func (s *Service) End(ctx context.Context, r EndRequest) error {
	p, err := r.params(field.Micro(s.now()))
	if err != nil {
		return err
	}
	return s.store.EndSession(ctx, p)
}
