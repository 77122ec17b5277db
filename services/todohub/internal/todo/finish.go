package todo

import (
	"context"
	"fmt"
	"time"

	"example.com/hub/pkg/field"
)

// Clear moves an OPEN item to CLEARED. On a CLEARED item it answers the item as stored: the first
// writer wins, and a repeated call is safe. Faults: Invalid; NotFound; Conflict on an INVALID item;
// Forbidden when the item belongs to another client.
func (s *Service) Clear(ctx context.Context, clientID string, cl Clearing) (Item, error) {
	c := s.checks()
	c.ID("todo_id", cl.ID)
	c.Text("result", cl.Result, field.MaxResult, field.Required)
	c.Instant("cleared_at", cl.ClearedAt)
	c.Username("cleared_by", cl.ClearedBy, field.Optional)
	c.Text("reason", cl.Reason, field.MaxReason, field.Optional)
	if err := c.Err(); err != nil {
		return Item{}, err
	}
	p := ClearParams{
		Stamp: s.stamp(clientID), ID: cl.ID,
		Result: cl.Result, ClearedBy: cl.ClearedBy, Reason: cl.Reason,
	}
	p.ClearedAt = p.Now
	if cl.ClearedAt != nil {
		p.ClearedAt = field.Micro(*cl.ClearedAt)
	}
	return s.finish(ctx, p.Stamp, p.ID, Cleared, func() (Item, bool, error) { return s.store.Clear(ctx, p) })
}

// Invalidate moves an OPEN item to INVALID. On an INVALID item it answers the item as stored.
// Faults: as Clear, with Conflict on a CLEARED item.
func (s *Service) Invalidate(ctx context.Context, clientID string, inv Invalidation) (Item, error) {
	c := s.checks()
	c.ID("todo_id", inv.ID)
	c.Text("reason", inv.Reason, field.MaxReason, field.Optional)
	if err := c.Err(); err != nil {
		return Item{}, err
	}
	p := InvalidateParams{Stamp: s.stamp(clientID), ID: inv.ID, Reason: inv.Reason}
	return s.finish(ctx, p.Stamp, p.ID, Invalid, func() (Item, bool, error) { return s.store.Invalidate(ctx, p) })
}

// finish runs the switch to a final status and, when nothing was switched, finds out why.
func (s *Service) finish(ctx context.Context, st Stamp, id string, to Status, run func() (Item, bool, error)) (Item, error) {
	// An item that is OPEN when it is read was created after the switch looked for it, and the next
	// switch finds it. It may miss again: the item was finished, retention removed it, and another
	// upsert created it anew. But no item is reopened, so the same one is never missed twice.
	var missed time.Time
	for {
		item, switched, err := run()
		if err != nil || switched {
			return item, err
		}
		item, err = s.store.Get(ctx, GetParams{ID: id})
		switch {
		case err != nil:
			return Item{}, err
		case st.Owner != "" && st.Owner != item.CreatorID:
			s.logForeign(ctx, st.ClientID, id)
			return Item{}, ErrForeign
		case item.Status == to:
			return item, nil
		case item.Status != Open:
			return Item{}, alreadyFinished(item)
		case item.CreateTime.Equal(missed):
			return Item{}, fmt.Errorf("todo %s is OPEN but cannot be switched to %s", quote(id), to)
		}
		missed = item.CreateTime
	}
}
