package people

import (
	"context"

	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
	"example.com/hub/pkg/reconcile"
)

// ReconcileRequest is who is there, in a range of user ids.
type ReconcileRequest struct {
	reconcile.Range
	// Open are ascending, and inside the range.
	Open []string
}

// params checks the fields in the order of the documented table.
func (r *ReconcileRequest) params(st Stamp) (ReconcileParams, error) {
	var c field.Checks
	p := ReconcileParams{Stamp: st, From: r.From, To: r.To, Open: r.Open, DryRun: r.DryRun}
	p.AsOf = r.Check(&c, st.Now)
	r.CheckOpen(&c, "", len(r.Open), func(i int) string { return r.Open[i] })
	p.MaxClose = r.CheckMaxClose(&c)
	return p, c.Err()
}

// ReconcileResult is who was made inactive, and whom the feed should tell of again.
type ReconcileResult struct {
	// Closed is how many were made inactive.
	Closed int64
	// IDs are the first reconcile.MaxClosedIDs of their user ids, in order.
	IDs []string
	// Missing is how many of the request are unknown or not active.
	Missing int64
}

// Reconcile makes inactive who is of the feed and not in the list, unless the feed told of her since. It takes
// all of them or none. Faults: Invalid; Conflict when there are more than MaxClose.
func (s *Service) Reconcile(ctx context.Context, client string, r ReconcileRequest) (ReconcileResult, error) {
	p, err := r.params(s.stamp(client))
	if err != nil {
		return ReconcileResult{}, err
	}
	result, err := s.store.ReconcilePeople(ctx, p)
	switch {
	case err != nil:
		return ReconcileResult{}, err
	case result.Closed > p.MaxClose:
		return ReconcileResult{}, fault.Newf(fault.Conflict, "more than %d people would be made inactive", p.MaxClose)
	}
	result.IDs = result.IDs[:min(len(result.IDs), reconcile.MaxClosedIDs)]
	s.audit.InfoContext(ctx, "users reconciled", "client", client, "inactive", result.Closed, "user_ids", result.IDs, "dry_run", p.DryRun)
	return result, nil
}
