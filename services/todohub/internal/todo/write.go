package todo

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Upsert creates an OPEN item, or replaces the report of the item with the same id. The status never
// changes, so a late repeat of an upsert does not reopen a finished item. The client becomes the source
// system. Faults: Invalid; Forbidden when the item belongs to another client.
func (s *Service) Upsert(ctx context.Context, clientID string, r UpsertRequest) (Item, error) {
	p, err := r.params(s.rules, s.stamp(clientID))
	if err != nil {
		return Item{}, err
	}
	item, err := s.store.Upsert(ctx, p)
	if errors.Is(err, ErrForeign) {
		s.logForeign(ctx, clientID, r.ID)
	}
	return item, err
}

// Clear moves an OPEN item to CLEARED. On a CLEARED item it answers the item as stored: the first
// writer wins, and a repeated call is safe. Faults: Invalid; NotFound; Conflict on an INVALID item;
// Forbidden when the item belongs to another client.
func (s *Service) Clear(ctx context.Context, clientID string, r ClearRequest) (Item, error) {
	p, err := r.params(s.stamp(clientID))
	if err != nil {
		return Item{}, err
	}
	return s.finish(ctx, p.Stamp, p.ID, Cleared, func() (FinishResult, error) { return s.store.Clear(ctx, p) })
}

// Invalidate moves an OPEN item to INVALID. On an INVALID item it answers the item as stored.
// Faults: as Clear, with Conflict on a CLEARED item.
func (s *Service) Invalidate(ctx context.Context, clientID string, r InvalidateRequest) (Item, error) {
	p, err := r.params(s.stamp(clientID))
	if err != nil {
		return Item{}, err
	}
	return s.finish(ctx, p.Stamp, p.ID, Invalid, func() (FinishResult, error) { return s.store.Invalidate(ctx, p) })
}

// finish runs the switch to a final status and, when nothing was switched, finds out why.
func (s *Service) finish(
	ctx context.Context, st Stamp, id string, to Status, run func() (FinishResult, error),
) (Item, error) {
	// An item that is OPEN when it is read was created after the switch looked for it, and the next
	// switch finds it. It may miss again: the item was finished, retention removed it, and another
	// upsert created it anew. But no item is reopened, so the same one is never missed twice.
	var missed time.Time
	for {
		result, err := run()
		if err != nil || result.Switched {
			return result.Item, err
		}
		item, err := s.store.Get(ctx, GetParams{ID: id})
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

// logForeign leaves a trace of a client that reached for another one's item.
func (s *Service) logForeign(ctx context.Context, clientID, id string) {
	s.log.WarnContext(ctx, "change of another client's todo refused", "client_id", clientID, "todo_id", quote(id))
}
