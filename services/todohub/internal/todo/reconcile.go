package todo

import (
	"context"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/reconcile"
)

// reconciled is the result of items whose call gives none.
const reconciled = "reconciled"

// OpenItem is an item that is open at the client.
type OpenItem struct {
	ID string
	// SourceVersion is nil where it is not compared.
	SourceVersion *int64
}

// ReconcileRequest is what is open at a client, in a range of ids.
type ReconcileRequest struct {
	reconcile.Range
	// Open are ascending, and inside the range.
	Open []OpenItem
	// Action is Cleared or Invalid, what the items become; 0 is refused.
	Action Status
	// Result is nil for the default.
	Result *string
}

// params checks the fields in the order of the documented table.
func (r *ReconcileRequest) params(st Stamp) (ReconcileParams, error) {
	var c field.Checks
	p := ReconcileParams{Stamp: st, From: r.From, To: r.To, Open: r.Open, Action: r.Action, Result: reconciled, DryRun: r.DryRun}
	p.AsOf = r.Check(&c, st.Now)
	r.CheckOpen(&c, ".todo_id", len(r.Open), func(i int) string { return r.Open[i].ID })
	for i := range r.Open {
		checkVersion(&c, r.Open[i].SourceVersion)
	}
	if r.Action != Cleared && r.Action != Invalid {
		c.Fail("action", "must be clear or invalidate")
	}
	if r.Result != nil {
		p.Result = *r.Result
		c.Text("result", p.Result, field.MaxResult, field.Required)
	}
	p.MaxClose = r.CheckMaxClose(&c)
	return p, c.Err()
}

// ReconcileResult is what was closed, and what the client should report again.
type ReconcileResult struct {
	// Closed is how many items were closed.
	Closed int64
	// IDs are theirs, in order, of which Service.Reconcile gives the first reconcile.MaxClosedIDs.
	IDs []string
	// Assignees are theirs, in the order of the ids; Service.Reconcile gives none.
	Assignees []string
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
		s.doubts.any.Store(!p.DryRun)
		return ReconcileResult{}, err
	case result.Closed > p.MaxClose:
		return ReconcileResult{}, fault.Newf(fault.Conflict, "more than %d todos would be closed", p.MaxClose)
	}
	if !p.DryRun {
		var events []bus.Event
		for i, id := range result.IDs {
			events = signal(events, p.Now, id, result.Assignees[i], "")
		}
		s.announce(ctx, events)
	}
	result.IDs, result.Assignees = result.IDs[:min(len(result.IDs), reconcile.MaxClosedIDs)], nil
	return result, nil
}
