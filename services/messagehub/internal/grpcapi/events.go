package grpcapi

import (
	"context"
	"time"

	"example.com/hub/pkg/bus"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/outbox"
)

// Events is an eventv1.EventServiceServer. It is for Hub's own edges: the policy must admit
// nobody else. Its errors are like Server's.
type Events struct {
	eventv1.UnimplementedEventServiceServer

	outbox *outbox.Outbox
	inbox  *inbox.Service
}

// NewEvents makes an Events.
func NewEvents(o *outbox.Outbox, s *inbox.Service) *Events { return &Events{outbox: o, inbox: s} }

// ListEvents answers what was announced, or will be, after a position.
func (s *Events) ListEvents(ctx context.Context, in *eventv1.ListEventsRequest) (*eventv1.ListEventsResponse, error) {
	list, err := s.outbox.List(ctx, outbox.ListRequest{
		After: bus.Position{
			Transaction: in.GetAfter().GetTransaction(), Sequence: in.GetAfter().GetSequence(),
		},
		Recent: time.Duration(in.GetRecentSeconds()) * time.Second,
	})
	if err != nil {
		return nil, err
	}
	out := &eventv1.ListEventsResponse{
		Frames: make([]*eventv1.Frame, len(list.Frames)),
		Next:   position(list.Next),
		More:   list.More,
		Fence:  position(list.Watermark),
	}
	for i, f := range list.Frames {
		out.Frames[i] = frame(f)
	}
	return out, nil
}

// GetNewestRecord answers the id of a user's newest record.
func (s *Events) GetNewestRecord(
	ctx context.Context, in *eventv1.GetNewestRecordRequest,
) (*eventv1.GetNewestRecordResponse, error) {
	id, err := s.inbox.NewestID(ctx, inbox.NewestIDRequest{Username: in.GetUsername()})
	if err != nil {
		return nil, err
	}
	return &eventv1.GetNewestRecordResponse{Id: id}, nil
}

func frame(f bus.Frame) *eventv1.Frame {
	out := &eventv1.Frame{
		Events:   make([]*eventv1.Event, len(f.Events)),
		Position: position(f.Position),
		Part:     int32(f.Part), //nolint:gosec // a row has fewer events than fit into 31 bits
	}
	for i, e := range f.Events {
		out.Events[i] = &eventv1.Event{
			Kind: kinds[e.Kind], Username: e.User, Id: e.ID, Ts: e.Time.UnixMilli(),
		}
	}
	return out
}

var kinds = map[bus.Kind]eventv1.EventKind{
	bus.Message: eventv1.EventKind_EVENT_KIND_MESSAGE,
	bus.Read:    eventv1.EventKind_EVENT_KIND_READ,
}

// position gives nil for the zero position.
func position(p bus.Position) *eventv1.Position {
	if p.IsZero() {
		return nil
	}
	return &eventv1.Position{Transaction: p.Transaction, Sequence: p.Sequence}
}
