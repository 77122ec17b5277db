package inbox

import (
	"context"

	"example.com/hub/pkg/bus"
)

// Push stores one record for each target user that has none yet of this client and message id, and
// publishes one message event for each (contract, push: a key that exists is ignored, without a
// second record or event). The client becomes the source app. Faults: Invalid.
func (s *Service) Push(ctx context.Context, clientID string, r PushRequest) (PushResult, error) {
	p, err := r.params(s.rules, s.stamp(clientID))
	if err != nil {
		return PushResult{}, err
	}
	result, err := s.store.Push(ctx, p)
	if err != nil {
		return PushResult{}, err
	}
	events := make([]bus.Event, len(result.Created))
	for i, c := range result.Created {
		events[i] = bus.Event{Kind: bus.Message, User: c.Username, ID: c.ID, Time: p.Now}
	}
	s.publish(ctx, result.Position, events)
	// Whoever asks why a user heard nothing finds here that the message was a repeat.
	s.log.DebugContext(ctx, "message pushed",
		"client_id", clientID, "created", len(result.Created), "duplicates", result.Duplicates)
	return result, nil
}

// MarkRead switches the user's Unread records of the message id, of whatever app, to Read, and
// publishes one read event per switched record (contract, mark read). It answers how many it
// switched. The client becomes the modifier. Faults: Invalid.
func (s *Service) MarkRead(ctx context.Context, clientID string, r MarkReadRequest) (int, error) {
	p, err := r.params(s.stamp(clientID))
	if err != nil {
		return 0, err
	}
	result, err := s.store.MarkRead(ctx, p)
	if err != nil {
		return 0, err
	}
	events := make([]bus.Event, result.Switched)
	for i := range events {
		events[i] = bus.Event{Kind: bus.Read, User: p.Username, ID: p.SourceMessageID, Time: p.Now}
	}
	s.publish(ctx, result.Position, events)
	return result.Switched, nil
}

// MarkAllRead switches the user's Unread records below the watermark to Read, the newest first, and
// publishes one read event with the message id of the newest one. It answers how many it switched, also when
// it fails on the way; a repeat goes on. The client becomes the modifier. Faults: Invalid.
func (s *Service) MarkAllRead(ctx context.Context, clientID string, r MarkAllReadRequest) (switched int64, err error) {
	p, err := r.params(s.stamp(clientID))
	if err != nil {
		return 0, err
	}
	for !p.Done.End {
		done, failed := s.store.MarkAllRead(ctx, p)
		if failed != nil {
			err = failed
			break
		}
		p.Done = done
	}
	if p.Done.Newest != "" {
		s.publish(ctx, p.Done.Position, []bus.Event{{Kind: bus.Read, User: p.Username, ID: p.Done.Newest, Time: p.Now}})
	}
	return p.Done.Switched, err
}

// publish announces committed changes. The caller may be gone by then; the users still want to hear.
func (s *Service) publish(ctx context.Context, row bus.Position, events []bus.Event) {
	if len(events) > 0 {
		s.publisher.Publish(context.WithoutCancel(ctx), bus.Frame{Position: row, Events: events})
	}
}
