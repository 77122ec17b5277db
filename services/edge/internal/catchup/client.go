package catchup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/hub/pkg/bus"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	"example.com/hub/services/edge/internal/stream"
)

const (
	listTimeout   = 5 * time.Second
	newestTimeout = 2 * time.Second
)

// Client reads the event log and the inboxes of messagehub.
type Client struct{ calls eventv1.EventServiceClient }

var (
	_ Log          = (*Client)(nil)
	_ stream.Inbox = (*Client)(nil)
)

// NewClient makes a client; calls must carry the internal key.
func NewClient(calls eventv1.EventServiceClient) *Client { return &Client{calls} }

// Events implements Log.
func (c *Client) Events(ctx context.Context, after bus.Position, recent time.Duration) (Page, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	req := &eventv1.ListEventsRequest{RecentSeconds: int32((recent + time.Second - 1) / time.Second)}
	if !after.IsZero() {
		req.After = &eventv1.Position{Transaction: after.Transaction, Sequence: after.Sequence}
	}
	resp, err := c.calls.ListEvents(ctx, req)
	switch status.Code(err) {
	case codes.OK:
	case codes.Unimplemented:
		return Page{}, ErrNoLog
	case codes.PermissionDenied, codes.Unauthenticated:
		return Page{}, fmt.Errorf("%w: %w", ErrRefused, err)
	default:
		return Page{}, fmt.Errorf("list events: %w", err)
	}
	page := Page{Next: position(resp.GetNext()), More: resp.GetMore(), Watermark: position(resp.GetFence())}
	for _, f := range resp.GetFrames() {
		page.Frames = append(page.Frames, frame(f))
	}
	return page, nil
}

// Newest implements stream.Inbox.
func (c *Client) Newest(ctx context.Context, user string) (id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, newestTimeout)
	defer cancel()
	resp, err := c.calls.GetNewestRecord(ctx, &eventv1.GetNewestRecordRequest{Username: user})
	switch status.Code(err) {
	case codes.OK:
		return resp.GetId(), nil
	case codes.Unimplemented, codes.PermissionDenied, codes.Unauthenticated, codes.InvalidArgument:
		return "", errors.Join(stream.ErrNoAnswer, err)
	default:
		return "", fmt.Errorf("get newest record: %w", err)
	}
}

func frame(f *eventv1.Frame) bus.Frame {
	out := bus.Frame{Position: position(f.GetPosition()), Part: int(f.GetPart())}
	for _, e := range f.GetEvents() {
		kind := kinds[e.GetKind()]
		if kind == 0 {
			continue // of a later version
		}
		out.Events = append(out.Events, bus.Event{
			Kind: kind, User: e.GetUsername(), ID: e.GetId(), Time: time.UnixMilli(e.GetTs()),
		})
	}
	return out
}

var kinds = map[eventv1.EventKind]bus.Kind{
	eventv1.EventKind_EVENT_KIND_MESSAGE: bus.Message,
	eventv1.EventKind_EVENT_KIND_READ:    bus.Read,
}

func position(p *eventv1.Position) bus.Position {
	return bus.Position{Transaction: p.GetTransaction(), Sequence: p.GetSequence()}
}
