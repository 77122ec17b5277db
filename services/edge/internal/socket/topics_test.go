package socket_test

import (
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
)

func changed(user, id string) bus.Event {
	return bus.Event{Kind: bus.Todo, User: user, ID: id, Time: noon}
}

func TestASocketHearsOfItsTopics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		inbox, both, todos := e.open(t, "amy"), e.openWith(t, "amy", topic.Inbox|topic.Todos), e.openWith(t, "amy", topic.Todos)
		pass(time.Second)
		inbox.wantUnread(t, 0)
		both.wantUnread(t, 0)
		todos.wants(t)
		e.bus.publish(message("amy", "m"), changed("amy", "po-1"), changed("amy", ""), changed("ben", "po-2"))
		inbox.wants(t, "message.created m")
		both.wants(t, "message.created m", "todo.changed po-1", "todo.changed null")
		todos.wants(t, "todo.changed po-1", "todo.changed null")
	})
}

func TestTodosAloneAskForNoCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{})
		c := e.openWith(t, "amy", topic.Todos)
		e.bus.publish(read("amy", "m"))
		e.bus.tell(func(h *stream.Handler) { h.Gap(1) })
		pass(time.Minute)
		c.wants(t)
		if calls := e.inbox.take(); len(calls) != 0 {
			t.Errorf("asked: %v", calls)
		}
	})
}

func TestSocketsWithTodosLookAgainOverAHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, socket.Deps{Heartbeat: 15 * time.Second})
		inbox := e.open(t, "amy")
		var peers []*peer
		for range 3 {
			peers = append(peers, e.openWith(t, "amy", topic.Todos))
		}
		pass(time.Second)
		inbox.take()
		e.bus.tell(func(h *stream.Handler) { h.LookAgain() })
		pass(15 * time.Second)
		times := map[time.Duration]bool{}
		for _, p := range peers {
			for _, h := range p.take() {
				if h.Type != "todo.changed" || h.ID != nil {
					t.Errorf("got %+v", h)
				}
				times[h.At] = true
			}
		}
		if len(times) != 3 {
			t.Errorf("told at %v, want three times", times)
		}
		inbox.wants(t)
	})
}
