package stream_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/sse/ssetest"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
)

func todo(user, id string) bus.Event {
	return bus.Event{Kind: bus.Todo, User: user, ID: id, Time: noon}
}

// bring opens a user's stream with some topics for a client that saw lastID last, or for the first time.
func bring(t *testing.T, b *stream.Broker, user, lastID string, topics topic.Set) *recorder {
	t.Helper()
	near, far := net.Pipe()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/message-hub/stream", nil)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	if err := b.Serve(&takeover{conn: far}, r, user, topics); err != nil {
		t.Fatalf("serve: %v", err)
	}
	t.Cleanup(func() { _ = near.Close() })
	return record(near)
}

// data gives what the events of a stream say, but for heartbeats and times.
func (r *recorder) data() []string {
	var all []string
	for _, e := range ssetest.Parse(r.heard()).Events {
		if e.Type != "heartbeat" {
			said, _, _ := strings.Cut(e.Data, `,"ts":`)
			all = append(all, said)
		}
	}
	return all
}

const (
	anyTodo  = `{"type":"todo","id":null`
	bothKind = topic.Inbox | topic.Todos
)

func said(kind, id string) string { return fmt.Sprintf(`{"type":%q,"id":%q`, kind, id) }

func TestStreamsShowTheirTopics(t *testing.T) {
	for topics, want := range map[topic.Set][]string{
		topic.Inbox: {said("message", "m1"), said("read", "m1")},
		topic.Todos: {said("todo", "t1"), anyTodo},
		bothKind:    {said("message", "m1"), said("todo", "t1"), anyTodo, said("read", "m1")},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, feed := newBroker(t, stream.Deps{})
			c := bring(t, b, "alice", "", topics)
			feed.publish(message("alice", "m1"), todo("alice", "t1"), todo("bob", "t2"))
			feed.publish(todo("alice", ""), read("alice", "m1"))
			if got := c.data(); !slices.Equal(got, want) {
				t.Errorf("topics %b: heard %q, want %q", topics, got, want)
			}
			_ = c.Close()
		})
	}
}

// TestTodosLeaveTheLastEventIDAlone reads the stream as a browser does.
func TestTodosLeaveTheLastEventIDAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, feed := newBroker(t, stream.Deps{})
		c := bring(t, b, "alice", "", bothKind)
		feed.publish(message("alice", "m1"), todo("alice", "t1"))
		if got := idsIn(c.heard()); !slices.Equal(got, []string{"m1", "m1"}) {
			t.Errorf("last event ids %q", got)
		}
		_ = c.Close()
	})
}

// TestClientsThatComeBackLookForTodos is about clients whose last event is known, or is not. Those that come
// for the first time look by themselves.
func TestClientsThatComeBackLookForTodos(t *testing.T) {
	for name, tt := range map[string]struct {
		lastID string
		topics topic.Set
		want   []string
	}{
		"known":      {"m1", bothKind, []string{anyTodo, said("message", "m2"), said("todo", "t2")}},
		"unknown":    {"m0", bothKind, []string{anyTodo, said("todo", "t2")}},
		"todos only": {"m1", topic.Todos, []string{anyTodo, said("todo", "t2")}},
		"inbox only": {"m1", topic.Inbox, []string{said("message", "m2")}},
		"first time": {"", bothKind, []string{said("todo", "t2")}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, feed := newBroker(t, stream.Deps{Clock: func() time.Time { return noon }})
				feed.publish(message("alice", "m1"), todo("alice", "t1"), message("alice", "m2"))
				c := bring(t, b, "alice", tt.lastID, tt.topics)
				synctest.Wait() // for the replay
				feed.publish(todo("alice", "t2"))
				if got := c.data(); !slices.Equal(got, tt.want) {
					t.Errorf("heard %q, want %q", got, tt.want)
				}
				_ = c.Close()
			})
		})
	}
}

// TestTodosDoNotWaitForAReplay has messagehub be away for a client that comes back.
func TestTodosDoNotWaitForAReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{fail: errors.New("away"), newest: map[string]string{"alice": "newest"}}
		b, feed := newBroker(t, stream.Deps{Inbox: box})
		stop := runBroker(t, b)
		c := bring(t, b, "alice", "long-ago", bothKind)
		feed.publish(message("alice", "m1"), todo("alice", "t1"))
		want := []string{anyTodo, said("todo", "t1")}
		if got := c.data(); !slices.Equal(got, want) {
			t.Errorf("heard %q while messagehub is away, want %q", got, want)
		}
		box.set(func(i *inbox) { i.fail = nil })
		pass(10 * time.Second)
		want = append(want, said("message", "newest"), said("message", "m1"))
		if got := c.data(); !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		_ = c.Close()
		stop()
	})
}

// TestStreamsLookAgainWithinAHeartbeat spreads what streams are told after events were missed, and tells each
// once, also one that begins meanwhile. Streams without the topic hear nothing of it.
func TestStreamsLookAgainWithinAHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const users = 300
		b, feed := newBroker(t, stream.Deps{Heartbeat: 16 * time.Second, Clock: func() time.Time { return noon }})
		stop := runBroker(t, b)
		var streams []*recorder
		for i := range users {
			topics := bothKind
			if i%3 == 0 {
				topics = topic.Inbox
			}
			streams = append(streams, bring(t, b, fmt.Sprint("user-", i), "", topics))
		}
		feed.lookAgain()
		pass(time.Second)
		if n := b.Stats().LookAgain; n == 0 || n > users/3 {
			t.Errorf("%d streams were told within a second", n)
		}
		pass(15 * time.Second)
		for i, c := range streams {
			if n := len(c.data()); i%3 == 0 && n != 0 || i%3 != 0 && n != 1 {
				t.Errorf("stream %d was told %d times", i, n)
			}
		}
		pass(time.Minute)
		if n := b.Stats().LookAgain; n != users*2/3 {
			t.Errorf("%d streams were told in the end", n)
		}
		stop()
	})
}

// TestASecondGapIsToldToAll has it come when half of the streams have been told of the first.
func TestASecondGapIsToldToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const users = 200
		b, feed := newBroker(t, stream.Deps{Heartbeat: 16 * time.Second, Clock: func() time.Time { return noon }})
		stop := runBroker(t, b)
		for i := range users {
			bring(t, b, fmt.Sprint("user-", i), "", topic.Todos)
		}
		feed.lookAgain()
		pass(8100 * time.Millisecond)
		told := b.Stats().LookAgain
		feed.lookAgain()
		pass(16 * time.Second)
		if n := b.Stats().LookAgain; told == 0 || told == users || n != told+users {
			t.Errorf("%d were told until the second gap and %d in the end, want %d more", told, n, users)
		}
		stop()
	})
}

// runBroker runs its loops in a bubble until stop is called.
func runBroker(t *testing.T, b *stream.Broker) (stop func()) {
	t.Helper()
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		_ = b.Run(ctx) // always nil
	}()
	return func() { cancel(); <-ended }
}
