package stream_test

import (
	"testing"

	"example.com/hub/services/edge/internal/stream"
)

func TestCaughtUpEventsAreForStreamsThatWereThere(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	zero := e.open(t, "zero")
	e.bus.begin(1)
	one := e.open(t, "one")
	e.bus.begin(2)
	two := e.open(t, "two")

	for _, user := range []string{"zero", "one", "two"} {
		e.bus.publishTo(stream.Arrival{Late: true, To: 2}, message(user, "missed"))
		e.bus.publishTo(stream.Arrival{From: 1, To: stream.Forever}, message(user, "heard again"))
		e.bus.publishTo(stream.Arrival{Late: true, From: 1, To: 2}, message(user, "missed again"))
	}
	zero.expect(t, "message", "missed")
	zero.sentinel(t, e, "zero")
	one.expect(t, "message", "missed", "heard again", "missed again")
	one.sentinel(t, e, "one")
	two.expect(t, "message", "heard again")
	two.sentinel(t, e, "two")
}

// TestEventListedBeforeItIsHeardIsReplayed has a client come back that has a later event, while the
// earlier one was only listed, for older streams, when it was connected.
func TestEventListedBeforeItIsHeardIsReplayed(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	e.bus.begin(1)
	e.bus.publishTo(stream.Arrival{Late: true, To: 1}, message("alice", "2"))
	e.bus.publish(message("alice", "3"))
	e.bus.publishTo(stream.Arrival{From: 1, To: stream.Forever}, message("alice", "2"))
	c := e.resume(t, "alice", "3")
	c.expect(t, "message", "2")
	c.sentinel(t, e, "alice")
}

// TestEventsListedAgainAreReplayedOnce has an event come twice from the log.
func TestEventsListedAgainAreReplayedOnce(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	e.bus.begin(2)
	e.bus.publish(message("alice", "1"))
	e.bus.publishTo(stream.Arrival{Late: true, To: 1}, message("alice", "2"))
	e.bus.publishTo(stream.Arrival{Late: true, From: 1, To: 2}, message("alice", "2"))
	c := e.resume(t, "alice", "1")
	c.expect(t, "message", "2")
	c.sentinel(t, e, "alice")
}
