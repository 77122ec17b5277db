package edge_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/membus"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
)

// announced is a bus that says when hearing begins, as one between machines does.
type announced struct{ *membus.Bus }

func (a announced) Subscribe(h bus.Handler) (cancel func()) {
	cancel = a.Bus.Subscribe(h)
	h.Gap()
	return cancel
}

// slowLog answers when answer is closed.
type slowLog struct {
	eventLog
	answer chan struct{}
}

func (l slowLog) ListEvents(
	ctx context.Context, r *eventv1.ListEventsRequest, opts ...grpc.CallOption,
) (*eventv1.ListEventsResponse, error) {
	select {
	case <-l.answer:
		return l.eventLog.ListEvents(ctx, r, opts...)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestAFreshEdgeDoesNotRepeatWhatIsOver has a client that connects before the edge has caught up. It hears
// what is announced from then on, even if the log tells of it first, and nothing that was before.
func TestAFreshEdgeDoesNotRepeatWhatIsOver(t *testing.T) {
	answer := make(chan struct{})
	e, events, url := startOn(t, time.Hour, slowLog{answer: answer}, func(b *membus.Bus) bus.Subscriber { return announced{b} })
	next := open(t, url, "", "id:")
	close(answer)
	for !e.Events().Whole {
		<-time.After(time.Millisecond)
	}
	first := []bus.Event{{Kind: bus.Message, User: "alice", ID: "1", Time: time.Now()}, {Kind: bus.Message, User: "alice", ID: "2", Time: time.Now()}}
	events.Publish(t.Context(), bus.Frame{Events: []bus.Event{{Kind: bus.Read, User: "alice", ID: "3", Time: time.Now()}}})
	events.Publish(t.Context(), bus.Frame{Position: bus.Position{Transaction: 1, Sequence: 1}, Events: first})
	expect(t, next, "id: 3", "id: 1", "id: 2")
	// Other clients come back to where they were.
	expect(t, open(t, url, "&lastEventId=2", "id:"), "id: 1", "id: 2", "id: 3")
}
