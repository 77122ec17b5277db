package todo

import (
	"cmp"
	"context"
	"slices"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// BatchResult is what became of an item of a batch.
type BatchResult struct {
	ID string
	// Stale is that of an Outcome.
	Stale bool
	// Err is why the item was refused: a fault of a kind that Upsert names.
	Err error
}

// UpsertBatch does what Upsert does for each item, in order, and gives a result for each. Faults: Invalid
// for the number of items. A fault that is not an item's own ends the batch, of which a part may be stored
// then; it may be repeated.
func (s *Service) UpsertBatch(ctx context.Context, clientID string, items []UpsertRequest) ([]BatchResult, error) {
	var c field.Checks
	if len(items) == 0 {
		c.Fail("items", "must not be empty")
	}
	if c.Entries("items", len(items), field.MaxBatch); c.Err() != nil {
		return nil, c.Err()
	}
	results, all := make([]BatchResult, len(items)), make([]UpsertParams, len(items))
	for i := range items {
		results[i].ID = items[i].ID
		all[i], results[i].Err = items[i].params(s.rules, s.stamp(clientID))
	}
	done, err := s.upsertFirst(ctx, all, results)
	if err != nil {
		return nil, err
	}
	for i := range items {
		if done[i] || results[i].Err != nil {
			continue
		}
		outcome, err := s.upsert(ctx, all[i])
		if kind := fault.KindOf(err); err != nil && kind != fault.Invalid && kind != fault.Forbidden {
			return nil, err
		}
		results[i].Stale, results[i].Err = outcome.Stale, err
	}
	return results, nil
}

// upsertFirst stores the valid items that are the first of their id, all at once, and tells which it has
// stored. Why it has not stored another one is found out by an upsert of that one.
func (s *Service) upsertFirst(ctx context.Context, all []UpsertParams, results []BatchResult) (done []bool, err error) {
	var first []int
	seen := map[string]bool{}
	for i := range all {
		if results[i].Err == nil && !seen[all[i].ID] {
			seen[all[i].ID] = true
			first = append(first, i)
		}
	}
	done = make([]bool, len(all))
	if len(first) < 2 {
		return done, nil
	}
	slices.SortFunc(first, func(a, b int) int { return cmp.Compare(all[a].ID, all[b].ID) })
	sorted := make([]UpsertParams, len(first))
	for n, i := range first {
		sorted[n] = all[i]
	}
	changes, err := s.store.UpsertMany(ctx, sorted)
	if err != nil {
		for i := range sorted {
			s.doubts.add(sorted[i].ID)
		}
		return nil, err
	}
	var events []bus.Event
	for n, i := range first {
		if done[i] = changes[n].Changed; done[i] {
			p := &all[i]
			events = signal(events, p.Now, p.ID, p.AssigneeUsername, changes[n].Item.FormerAssignee)
		}
	}
	s.announce(ctx, events)
	return done, nil
}
