package todo

import (
	"context"
	"time"

	"example.com/hub/pkg/field"
)

// Store keeps the items. It is safe for concurrent use. Everything that it answered is durable.
//
// The calls that change an item are one atomic statement each. A database that is away or too slow
// is a fault of kind Unavailable.
type Store interface {
	// Upsert creates an OPEN item, or replaces the Report of the item with that id together with
	// SourceSystem, ModifierID and ModifyTime; it never touches status, Result, ClearedAt, ClearedBy,
	// Reason, CreatorID or CreateTime. The error is ErrForeign when the item exists and p.Owner may
	// not change it.
	Upsert(ctx context.Context, p UpsertParams) (Item, error)

	// Clear moves the item to CLEARED if it is OPEN and p.Owner may change it; otherwise nothing is
	// changed and switched is false.
	Clear(ctx context.Context, p ClearParams) (item Item, switched bool, err error)

	// Invalidate is Clear for INVALID.
	Invalidate(ctx context.Context, p InvalidateParams) (item Item, switched bool, err error)

	// Get reads an item as it was last committed; a miss is the fault NotFound(p.ID).
	Get(ctx context.Context, p GetParams) (Item, error)

	// List gives the items of a page in the order of p.Sort, and the exact number of all that match.
	// Both come from one snapshot.
	List(ctx context.Context, p ListParams) (items []Item, total int64, err error)

	// Ping tells whether the database answers.
	Ping(ctx context.Context) error
}

// Stamp says who changes an item, and when.
type Stamp struct {
	ClientID string
	// Owner, when not empty, limits the change to items that this client created.
	Owner string
	// Now is in microseconds. It becomes the ModifyTime, unless that is later: clocks step back, and
	// the time of an item does not.
	Now time.Time
}

// UpsertParams are the values of Store.Upsert.
type UpsertParams struct {
	Stamp
	Report
}

// ClearParams are the values of Store.Clear.
type ClearParams struct {
	Stamp
	ID        string
	Result    string
	ClearedAt time.Time
	ClearedBy string
	Reason    string
}

// InvalidateParams are the values of Store.Invalidate.
type InvalidateParams struct {
	Stamp
	ID     string
	Reason string
}

// GetParams are the values of Store.Get.
type GetParams struct {
	ID string
}

// ListParams are the values of Store.List; all but AssigneeUsername are set.
type ListParams struct {
	// AssigneeUsername is nil for all users.
	AssigneeUsername *string
	Status           Status
	Type             Type
	Sort             Sort
	Page             field.Page
}
