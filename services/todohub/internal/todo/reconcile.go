package todo

import (
	"context"
	"time"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

const (
	// maxAge is the oldest list that is reconciled.
	maxAge = 24 * time.Hour
	// defaultClose and maxClose are how many items one call closes at most.
	defaultClose, maxClose = 100, 10_000
	// MaxClosedIDs is how many ids of closed items an answer has.
	MaxClosedIDs = 200
	// reconciled is the result of items whose call gives none.
	reconciled = "reconciled"
)

// OpenItem is an item that is open at the client.
type OpenItem struct {
	ID string
	// SourceVersion is nil where it is not compared.
	SourceVersion *int64
}

// ReconcileRequest is what is open at a client, in a range of ids.
type ReconcileRequest struct {
	// AsOf is when the list was made; nil is refused.
	AsOf *time.Time
	// From is the id behind which the range begins.
	From string
	// To is the last id of the range; nil is no end.
	To *string
	// Open are ascending, and inside the range.
	Open []OpenItem
	// Action is Cleared or Invalid, what the items become; 0 is refused.
	Action Status
	// Result is nil for the default.
	Result *string
	// MaxClose is nil for the default.
	MaxClose *int64
	DryRun   bool
}

// params checks the fields in the order of the documented table.
func (r *ReconcileRequest) params(st Stamp) (ReconcileParams, error) {
	var c field.Checks
	p := ReconcileParams{
		Stamp: st, From: r.From, To: r.To, Open: r.Open, Action: r.Action, Result: reconciled, MaxClose: defaultClose, DryRun: r.DryRun,
	}
	switch {
	case r.AsOf == nil:
		c.Fail("as_of", "must not be empty")
	case r.AsOf.Truncate(time.Second).After(st.Now):
		c.Fail("as_of", "must not be in the future")
	case r.AsOf.Before(st.Now.Add(-maxAge)):
		c.Fail("as_of", "must not be older than 24 hours")
	default:
		p.AsOf = r.AsOf.UTC().Truncate(time.Second)
	}
	c.Text("from", r.From, field.MaxID, field.Optional)
	if r.To != nil {
		c.Text("to", *r.To, field.MaxID, field.Optional)
		if *r.To < r.From {
			c.Fail("to", "must not be before from")
		}
	}
	r.checkOpen(&c)
	if r.Action != Cleared && r.Action != Invalid {
		c.Fail("action", "must be clear or invalidate")
	}
	if r.Result != nil {
		p.Result = *r.Result
		c.Text("result", p.Result, field.MaxResult, field.Required)
	}
	if r.MaxClose != nil {
		if p.MaxClose = *r.MaxClose; p.MaxClose < 1 || p.MaxClose > maxClose {
			c.Fail("max_close", "must be an integer from 1 to %d", maxClose)
		}
	}
	return p, c.Err()
}

// checkOpen stops at the first fault, since the list may be long.
func (r *ReconcileRequest) checkOpen(c *field.Checks) {
	c.Entries("open", len(r.Open), field.MaxOpen)
	last := r.From
	for i, o := range r.Open {
		if c.Err() != nil {
			return
		}
		name := func() string { return openName(i) }
		switch {
		case o.ID == "":
			c.Fail(name(), "must not be empty")
		case o.ID <= last:
			c.Fail(name(), "must be behind from and behind the id before it")
		case r.To != nil && o.ID > *r.To:
			c.Fail(name(), "must not be behind to")
		}
		checkVersion(c, o.SourceVersion)
		last = o.ID
	}
}

// ReconcileResult is what was closed, and what the client should report again.
type ReconcileResult struct {
	// Closed is how many items were closed.
	Closed int64
	// IDs are the first MaxClosedIDs of them, in order.
	IDs []string
	// Missing is how many items of the request are unknown or not OPEN.
	Missing int64
	// Stale is how many items of the request are OPEN with an older SourceVersion.
	Stale int64
}

// Reconcile closes the client's OPEN items in a range of ids that are not open at the client, unless they
// changed since. It closes all of them or none. Faults: Invalid; Conflict when there are more than MaxClose.
func (s *Service) Reconcile(ctx context.Context, clientID string, r ReconcileRequest) (ReconcileResult, error) {
	p, err := r.params(s.stamp(clientID))
	if err != nil {
		return ReconcileResult{}, err
	}
	result, err := s.store.Reconcile(ctx, p)
	switch {
	case err != nil:
		return ReconcileResult{}, err
	case result.Closed > p.MaxClose:
		return ReconcileResult{}, fault.Newf(fault.Conflict, "more than %d todos would be closed", p.MaxClose)
	}
	result.IDs = result.IDs[:min(len(result.IDs), MaxClosedIDs)]
	return result, nil
}
