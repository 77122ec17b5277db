package todo

import (
	"context"
	"fmt"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/fault"
	"example.com/hub/pkg/field"
)

// Outcome is what became of a change that was not refused.
type Outcome struct {
	// Item is the item as stored.
	Item Item
	// Stale says that nothing was changed, since the stored SourceVersion is newer than that of the call.
	Stale bool
}

// Upsert creates an OPEN item, or replaces the report of the item with the same id. The status never
// changes, so a late repeat of an upsert does not reopen a finished item. The client becomes the source
// system. Faults: Invalid; Forbidden when the item belongs to another client.
func (s *Service) Upsert(ctx context.Context, clientID string, r UpsertRequest) (Outcome, error) {
	p, err := r.params(s.rules, s.stamp(clientID))
	if err != nil {
		return Outcome{}, err
	}
	return s.upsert(ctx, p)
}

func (s *Service) upsert(ctx context.Context, p UpsertParams) (Outcome, error) {
	return s.change(ctx, target{Stamp: p.Stamp, id: p.ID, version: p.SourceVersion},
		func() (ChangeResult, error) { return s.store.Upsert(ctx, p) })
}

// Clear moves an OPEN item to CLEARED. On a CLEARED item it answers the item as stored: the first
// writer wins, and a repeated call is safe. Faults: Invalid; NotFound; Conflict on an INVALID item;
// Forbidden when the item belongs to another client.
func (s *Service) Clear(ctx context.Context, clientID string, r ClearRequest) (Outcome, error) {
	return s.clear(ctx, s.stamp(clientID), r)
}

// ClearAny is Clear by an administrator, whoever has created the item.
func (s *Service) ClearAny(ctx context.Context, name string, r ClearRequest) (Outcome, error) {
	return s.clear(ctx, Stamp{ClientID: name, Now: field.Micro(s.now())}, r)
}

func (s *Service) clear(ctx context.Context, st Stamp, r ClearRequest) (Outcome, error) {
	p, err := r.params(st)
	if err != nil {
		return Outcome{}, err
	}
	return s.change(ctx, target{Stamp: p.Stamp, id: p.ID, version: p.SourceVersion, to: Cleared},
		func() (ChangeResult, error) { return s.store.Clear(ctx, p) })
}

// Invalidate moves an OPEN item to INVALID. On an INVALID item it answers the item as stored.
// Faults: as Clear, with Conflict on a CLEARED item.
func (s *Service) Invalidate(ctx context.Context, clientID string, r InvalidateRequest) (Outcome, error) {
	p, err := r.params(s.stamp(clientID))
	if err != nil {
		return Outcome{}, err
	}
	return s.change(ctx, target{Stamp: p.Stamp, id: p.ID, version: p.SourceVersion, to: Invalid},
		func() (ChangeResult, error) { return s.store.Invalidate(ctx, p) })
}

// target is what a change is for.
type target struct {
	Stamp
	id      string
	version *int64
	// to is the final status that the change is to, and 0 for an upsert.
	to Status
}

// events are those of the change that was made.
func (t *target) events(item *Item) []bus.Event {
	former := ""
	if t.to == 0 {
		former = item.FormerAssignee
	}
	return signal(nil, t.Now, item.ID, item.AssigneeUsername, former)
}

// change runs the statement of a change and, when it changed nothing, finds out why.
func (s *Service) change(ctx context.Context, t target, run func() (ChangeResult, error)) (Outcome, error) {
	// An item on which nothing forbids the change when it is read was created after the statement looked
	// for it, and the next statement finds it. It may miss again: the item was finished or given a newer
	// version, retention removed it, and another upsert created it anew. But no item is reopened or goes
	// back in its version, so the same one is never missed twice.
	var missed time.Time
	for {
		result, err := run()
		switch {
		case err != nil:
			s.doubts.add(t.id)
			return Outcome{}, err
		case result.Changed:
			s.announce(ctx, t.events(&result.Item))
			return Outcome{Item: result.Item}, nil
		case result.Repeated:
			s.doubts.add(t.id)
		}
		item, err := s.store.Get(ctx, GetParams{ID: t.id})
		switch {
		case t.to == 0 && err != nil && fault.KindOf(err) == fault.NotFound:
			continue // it was removed, and the next upsert creates it
		case err != nil:
			return Outcome{}, err
		case t.Owner != "" && t.Owner != item.CreatorID:
			s.logForeign(ctx, t.ClientID, t.id)
			return Outcome{}, ErrForeign
		case item.newerThan(t.version):
			return Outcome{Item: item, Stale: true}, nil
		case t.to != 0 && item.Status == t.to:
			return Outcome{Item: item}, nil
		case t.to != 0 && item.Status != Open:
			return Outcome{}, alreadyFinished(item)
		case item.CreateTime.Equal(missed):
			return Outcome{}, fmt.Errorf("todo %s allows a change that was not made", quote(t.id))
		}
		missed = item.CreateTime
	}
}

// newerThan tells whether a change of this version comes too late.
func (i *Item) newerThan(version *int64) bool {
	return version != nil && i.SourceVersion != nil && *i.SourceVersion > *version
}

// logForeign leaves a trace of a client that reached for another one's item.
func (s *Service) logForeign(ctx context.Context, clientID, id string) {
	s.log.WarnContext(ctx, "change of another client's todo refused", "client_id", clientID, "todo_id", quote(id))
}
