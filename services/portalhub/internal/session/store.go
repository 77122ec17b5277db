package session

import (
	"context"
	"errors"
	"time"
)

// Store keeps the sessions. Its methods are safe for concurrent use, and what they answered is durable.
//
// A store that is away or too slow answers with a fault of kind Unavailable; the call may then have had its
// effect, and may be repeated.
type Store interface {
	// BeginSession adds a session; one that is there stays as it is.
	BeginSession(ctx context.Context, p BeginParams) error

	// GetSession reads a session as it was last committed; a miss is ErrUnknown.
	GetSession(ctx context.Context, p GetParams) (Session, error)

	// RenewSession notes that the user of a session was there, unless a later time is noted, and tells whether
	// the session is there and was not ended.
	RenewSession(ctx context.Context, p RenewParams) (lives bool, err error)

	// EndSession ends a session that was not ended.
	EndSession(ctx context.Context, p EndParams) error
}

// ErrUnknown says that there is no session with a hash.
var ErrUnknown = errors.New("no session has this hash")

// Session is a user's login.
type Session struct {
	// Hash stands for the session's id: its SHA-256 in base64url.
	Hash     string
	Username string
	// Claims are the roles that the provider's token named at the login.
	Claims []string
	// Begun and Renewed are when the user logged in, and when she was last known to be there.
	Begun, Renewed time.Time
	// Ended is when the session was ended; nil before, and for one that came to its end by itself.
	Ended *time.Time
}

// BeginParams is a valid session, which begins at Now, in microseconds.
type BeginParams struct {
	Hash     string
	Username string
	Claims   []string
	Now      time.Time
}

// GetParams names the session.
type GetParams struct {
	Hash string
}

// RenewParams names the session; Now is in microseconds.
type RenewParams struct {
	Hash string
	Now  time.Time
}

// EndParams names the session; Now is in microseconds.
type EndParams struct {
	Hash string
	Now  time.Time
}
