package todo

import (
	"context"
	"time"

	"example.com/hub/pkg/cursor"
	"example.com/hub/pkg/field"
)

// Store keeps the items. Its methods are safe for concurrent use, and what they answered is durable.
//
// Strings are compared and ordered byte by byte. The calls that change an item are one atomic statement
// each. A store that is away or too slow answers with a fault of kind Unavailable; the call may then have
// had its effect, and may be repeated.
type Store interface {
	// Upsert creates an OPEN item, or replaces the Report of the item with that id together with
	// SourceSystem, ModifierID, ModifyTime and FormerAssignee; it never touches status, Result, ClearedAt, ClearedBy,
	// Reason, CreatorID or CreateTime, and a nil SourceVersion leaves the stored one. Nothing is changed
	// when the item exists and p.Owner may not change it, or its SourceVersion is newer.
	Upsert(ctx context.Context, p UpsertParams) (ChangeResult, error)

	// UpsertMany is Upsert for items of different ids, which are given in the order of the ids, all in one
	// atomic statement. It changes none where another change that holds several items would wait for it.
	UpsertMany(ctx context.Context, p []UpsertParams) ([]ChangeResult, error)

	// Clear moves the item to CLEARED if it is OPEN, p.Owner may change it and its SourceVersion is not
	// newer; otherwise nothing is changed.
	Clear(ctx context.Context, p ClearParams) (ChangeResult, error)

	// Invalidate is Clear for INVALID.
	Invalidate(ctx context.Context, p InvalidateParams) (ChangeResult, error)

	// Reconcile closes, in one atomic statement, the OPEN items of p.ClientID as source system, and of
	// p.Owner as creator where it is set, with an id behind p.From and not behind p.To and a ModifyTime
	// before p.AsOf, that are not in p.Open. The result has one more than p.MaxClose where there are more,
	// and then nothing is closed.
	Reconcile(ctx context.Context, p ReconcileParams) (ReconcileResult, error)

	// List answers one page of the items that match, and how many match, both of one moment. The item's
	// id breaks ties in the direction of the sort, and items without a value come last in both
	// directions. A page past the end is empty.
	List(ctx context.Context, p ListParams) (ListResult, error)

	// Walk answers the first items that match behind a place of the list, at most a page of them and all
	// of one moment, in the order of List. It counts nothing, and in the default order of a named user
	// it takes about the same time at every place.
	Walk(ctx context.Context, p WalkParams) ([]Item, error)

	// Count answers how long the lists of a user are, all of one moment.
	Count(ctx context.Context, p CountParams) (Counts, error)

	// Search answers the first items that match behind a place of the list, at most p.Size of them and all of
	// one moment, in DefaultSort. Of named users and any source it looks at their number of index entries and
	// at p.Size^2 more, for each status and type, however many items there are. It counts nothing.
	Search(ctx context.Context, p SearchParams) ([]Item, error)

	// Get reads an item as it was last committed; a miss is the fault NotFound(p.ID).
	Get(ctx context.Context, p GetParams) (Item, error)

	// Ping fails while the store cannot answer.
	Ping(ctx context.Context) error
}

// Stamp says who changes an item, and when.
type Stamp struct {
	ClientID string
	// Owner, when not empty, is ClientID and limits the change to items that this client created.
	Owner string
	// Now is in microseconds. It becomes the ModifyTime, unless that is later: clocks step back, and
	// the time of an item does not.
	Now time.Time
}

// UpsertParams is a valid upsert.
type UpsertParams struct {
	Stamp
	Report
}

// ClearParams is a valid clear.
type ClearParams struct {
	Stamp
	ID        string
	Result    string
	ClearedAt time.Time
	ClearedBy string
	Reason    string
	// SourceVersion is nil for a change whatever version is stored.
	SourceVersion *int64
}

// InvalidateParams is a valid invalidate.
type InvalidateParams struct {
	Stamp
	ID     string
	Reason string
	// SourceVersion is nil for a change whatever version is stored.
	SourceVersion *int64
}

// ReconcileParams is a valid reconcile.
type ReconcileParams struct {
	Stamp
	AsOf time.Time
	// From is the id behind which the range begins, and To its last one or nil.
	From string
	To   *string
	Open []OpenItem
	// Action is Cleared or Invalid.
	Action Status
	// Result is that of Cleared items, and the Reason of Invalid ones.
	Result   string
	MaxClose int64
	// DryRun closes nothing.
	DryRun bool
}

// ChangeResult says what an upsert, a clear or an invalidate did.
type ChangeResult struct {
	// Item is the changed item; the zero item when nothing was.
	Item Item
	// Changed is false when nothing was.
	Changed bool
	// Repeated says that an earlier run of the call may have changed the item, whose answer was lost.
	Repeated bool
}

// ListParams selects items; every filter that is set must match.
type ListParams struct {
	// AssigneeUsername is a filter; empty means all users.
	AssigneeUsername string
	Status           Status
	Type             Type
	Page             field.Page
	Sort             Sort
	// Full has the items come with their payloads, which are not read otherwise.
	Full bool
}

// WalkParams selects the items behind a place of a list.
type WalkParams struct {
	// ListParams are those of the list. A Status of 0 means any, the sort is one of CursorSortFields, and
	// of the Page only the size counts.
	ListParams
	// After is the place, which is no item's any more perhaps; nil is the start of the list.
	After *cursor.Key
}

// SearchParams selects items of many users; every filter that is set must match.
type SearchParams struct {
	// Usernames are those of the assignees, each once; nil means all users.
	Usernames []string
	// SourceSystem is a filter; empty means any.
	SourceSystem string
	// Statuses and Types are filters, each without repetition.
	Statuses []Status
	Types    []Type
	// Size is the largest number of items, from 1.
	Size int64
	// Full has the items come with their payloads, which are not read otherwise.
	Full bool
	// After is a place of the list, which is no item's any more perhaps; nil is the start.
	After *cursor.Key
}

// ListResult is a page of items.
type ListResult struct {
	Items []Item
	// Total is the exact number of items that match.
	Total int64
}

// CountParams is a valid count.
type CountParams struct {
	AssigneeUsername string
	// The lists that are counted.
	ToHandle, ToRead, Overdue, Done, Read bool
	// Now is in microseconds; what was due before it is overdue.
	Now time.Time
}

// GetParams names the item.
type GetParams struct {
	ID string
}
