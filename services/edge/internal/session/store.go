package session

import (
	"context"
	"errors"
	"time"
)

// Store has a row for each session. Its calls are safe for concurrent use.
type Store interface {
	// Begin adds a row.
	Begin(ctx context.Context, row Row) error
	// Renew tells whether a session lives and its person is active, notes that she was there, and gives
	// the permissions that she has now. The error is ErrEnded when it does not, ErrUnknown when another
	// edge may have its row, and anything else while nobody can tell.
	Renew(ctx context.Context, p RenewParams) (permissions []string, err error)
	// End ends a session. One that does not live is none's fault.
	End(ctx context.Context, id string) error
}

// Row is a session in the store.
type Row struct {
	// ID is that of Session.
	ID       string
	Username string
	// Claims are the roles that the provider named at the login, and Permissions what they gave her then. A
	// store may keep either.
	Claims, Permissions []string
	// Begun and Renewed are the same at the beginning.
	Begun, Renewed time.Time
}

// RenewParams says which session, and what becomes of its row.
type RenewParams struct {
	ID string
	// Now becomes the row's Renewed, unless Passive: then nobody was there, and the row stays as it is. A store
	// may have a clock of its own.
	Now     time.Time
	Passive bool
	// A row does not live when it was renewed Idle ago, or begun Lifetime ago.
	Idle, Lifetime time.Duration
}

var (
	// ErrEnded says that a session does not live any more, or that its person is not active.
	ErrEnded = errors.New("the session has ended")
	// ErrUnknown says that a session has no row here, while another edge may have it.
	ErrUnknown = errors.New("the session has no row here")
)
