package catchup_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"example.com/hub/pkg/bus"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	"example.com/hub/services/edge/internal/catchup"
	"example.com/hub/services/edge/internal/stream"
)

// messagehub answers as the test says, and keeps the last request.
type messagehub struct {
	list     *eventv1.ListEventsResponse
	newest   *eventv1.GetNewestRecordResponse
	err      error
	listed   *eventv1.ListEventsRequest
	asked    *eventv1.GetNewestRecordRequest
	deadline time.Duration
}

func (m *messagehub) ListEvents(ctx context.Context, r *eventv1.ListEventsRequest, _ ...grpc.CallOption) (*eventv1.ListEventsResponse, error) {
	m.listed = r
	m.note(ctx)
	return m.list, m.err
}

func (m *messagehub) GetNewestRecord(ctx context.Context, r *eventv1.GetNewestRecordRequest, _ ...grpc.CallOption) (*eventv1.GetNewestRecordResponse, error) {
	m.asked = r
	m.note(ctx)
	return m.newest, m.err
}

func (m *messagehub) note(ctx context.Context) {
	at, _ := ctx.Deadline()
	m.deadline = time.Until(at)
}

func TestClientListsEvents(t *testing.T) {
	hub := &messagehub{list: &eventv1.ListEventsResponse{
		Frames: []*eventv1.Frame{{
			Position: &eventv1.Position{Transaction: 5, Sequence: 6},
			Part:     2,
			Events: []*eventv1.Event{
				{Kind: eventv1.EventKind_EVENT_KIND_MESSAGE, Username: "alice", Id: "1", Ts: 1_700_000_000_001},
				{Kind: 99, Username: "alice", Id: "of a later version"},
				{Kind: eventv1.EventKind_EVENT_KIND_READ, Username: "bob", Id: "s", Ts: 1_700_000_000_002},
			},
		}},
		Next:  &eventv1.Position{Transaction: 5, Sequence: 6},
		More:  true,
		Fence: &eventv1.Position{Transaction: 4},
	}}
	client := catchup.NewClient(hub)
	got, err := client.Events(t.Context(), bus.Position{Transaction: 3, Sequence: 1}, 65*time.Second+1)
	if err != nil {
		t.Fatalf("events: %v", err)
	}
	want := catchup.Page{
		Frames: []bus.Frame{{
			Position: bus.Position{Transaction: 5, Sequence: 6},
			Part:     2,
			Events: []bus.Event{
				{Kind: bus.Message, User: "alice", ID: "1", Time: time.UnixMilli(1_700_000_000_001)},
				{Kind: bus.Read, User: "bob", ID: "s", Time: time.UnixMilli(1_700_000_000_002)},
			},
		}},
		Next:      bus.Position{Transaction: 5, Sequence: 6},
		More:      true,
		Watermark: bus.Position{Transaction: 4},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	request := &eventv1.ListEventsRequest{After: &eventv1.Position{Transaction: 3, Sequence: 1}, RecentSeconds: 66}
	if diff := cmp.Diff(request, hub.listed, protocmp.Transform()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if hub.deadline <= 0 || hub.deadline > 5*time.Second {
		t.Errorf("the call may take %v", hub.deadline)
	}

	if _, err := client.Events(t.Context(), bus.Position{}, time.Second); err != nil || hub.listed.GetAfter() != nil {
		t.Errorf("events without a position asks for %v, %v", hub.listed, err)
	}
}

func TestClientTellsTheNewestRecord(t *testing.T) {
	hub := &messagehub{newest: &eventv1.GetNewestRecordResponse{Id: "7"}}
	id, err := catchup.NewClient(hub).Newest(t.Context(), "alice")
	if id != "7" || err != nil || hub.asked.GetUsername() != "alice" || hub.deadline > 2*time.Second {
		t.Errorf("newest = %q, %v after %v within %v", id, err, hub.asked, hub.deadline)
	}
}

func TestClientTellsErrorsApart(t *testing.T) {
	tests := map[codes.Code]struct{ noLog, noAnswer, refused bool }{
		codes.Unimplemented:     {noLog: true, noAnswer: true},
		codes.PermissionDenied:  {noAnswer: true, refused: true},
		codes.Unauthenticated:   {noAnswer: true, refused: true},
		codes.InvalidArgument:   {noAnswer: true},
		codes.Unavailable:       {},
		codes.DeadlineExceeded:  {},
		codes.ResourceExhausted: {},
		codes.Internal:          {},
	}
	for code, tt := range tests {
		t.Run(code.String(), func(t *testing.T) {
			client := catchup.NewClient(&messagehub{err: status.Error(code, "no")})
			_, err := client.Events(t.Context(), bus.Position{}, time.Second)
			if err == nil || errors.Is(err, catchup.ErrNoLog) != tt.noLog || errors.Is(err, catchup.ErrRefused) != tt.refused {
				t.Errorf("events: %v", err)
			}
			_, err = client.Newest(t.Context(), "alice")
			if err == nil || errors.Is(err, stream.ErrNoAnswer) != tt.noAnswer {
				t.Errorf("newest: %v", err)
			}
		})
	}
}
