package app

import (
	"context"
	"time"
)

// Store keeps the apps. Its methods are safe for concurrent use, and what they answered is durable. The calls
// that change an app are one atomic statement each.
//
// A store that is away or too slow answers with a fault of kind Unavailable; the call may then have had its
// effect, and may be repeated.
type Store interface {
	// CreateApp adds an app, unless there is one with its id or there are p.Most already; created is false then.
	CreateApp(ctx context.Context, p CreateParams) (created bool, err error)
	// UpdateApp replaces the settings of an app, and Enabled where that is not nil. A miss is NotFound.
	UpdateApp(ctx context.Context, p UpdateParams) (App, error)
	// EnableApp sets Enabled; an app that is so already stays as it is, with its ModifyTime and ModifierID. A
	// miss is NotFound.
	EnableApp(ctx context.Context, p EnableParams) (App, error)
	// GetApp gives an app. A miss is NotFound.
	GetApp(ctx context.Context, p GetParams) (App, error)
	// ListApps gives the apps by Sort, Name and id, texts byte by byte.
	ListApps(ctx context.Context, p ListParams) ([]App, error)
}

// Stamp says who changes an app, and when.
type Stamp struct {
	// By is the name of a principal.
	By string
	// Now is in microseconds.
	Now time.Time
}

// CreateParams are a new app.
type CreateParams struct {
	Stamp
	ID string
	Settings
	Enabled bool
	// Most is how many apps there may be.
	Most int
}

// UpdateParams are what is now said of an app.
type UpdateParams struct {
	Stamp
	ID string
	Settings
	// Enabled is nil for as it is.
	Enabled *bool
}

// EnableParams say whether an app is enabled.
type EnableParams struct {
	Stamp
	ID      string
	Enabled bool
}

// GetParams name an app.
type GetParams struct{ ID string }

// ListParams select apps.
type ListParams struct {
	// Enabled leaves out those that are not.
	Enabled bool
}
