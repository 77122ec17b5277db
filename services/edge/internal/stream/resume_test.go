package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/sse/ssetest"
	"example.com/hub/services/edge/internal/stream"
)

// sentinel shows that nothing else is on its way to the client.
func (c *client) sentinel(t *testing.T, e *edge, user string) {
	t.Helper()
	e.bus.publish(message(user, "sentinel"))
	c.expect(t, "message", "sentinel")
}

func TestResumeReplaysWhatFollowed(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	e.bus.publish(message("alice", "1"), message("bob", "b"))
	e.bus.publish(read("alice", "s"), message("alice", "2"), read("alice", "é / 3"))

	c := e.resume(t, "alice", "1")
	c.expect(t, "read", "s")
	c.expect(t, "message", "2")
	c.expect(t, "read", "é / 3")
	c.sentinel(t, e, "alice")

	c = e.resume(t, "alice", "é / 3")
	c.expect(t, "message", "sentinel") // of the first stream
	c.sentinel(t, e, "alice")
	// A sentinel may come so soon after a replay that it belongs to it.
	if s := e.Stats(); s.Resumed != 2 || s.Unknown != 0 || s.Replayed < 4 || s.Replayed+s.Delivered != 6 {
		t.Errorf("stats = %+v, want 2 resumed and 6 events, at least 4 of them replayed", s)
	}
}

func TestFirstConnectReplaysNothing(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(map[string]string{"alice": "1"})})
	e.run(t)
	e.bus.publish(message("alice", "1"))
	e.open(t, "alice").sentinel(t, e, "alice")
	e.resume(t, "alice", "").sentinel(t, e, "alice")
	if s := e.Stats(); s.Resumed+s.Unknown+s.Replayed != 0 {
		t.Errorf("stats = %+v, want no resume", s)
	}
}

func TestLastEventIDInTheQuery(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	e.bus.publish(message("alice", "a b&c"), message("alice", "2"), message("alice", "3"))
	e.openWith(t, "alice", "&lastEventId=a+b%26c").expect(t, "message", "2", "3")
	e.openWith(t, "alice", "&lastEventId=a+b%26c\nLast-Event-ID: 2\r\n").expect(t, "message", "3")
	e.openWith(t, "alice", "&lastEventId=").sentinel(t, e, "alice")
}

func TestEarliestMatchCounts(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	e.bus.publish(read("alice", "same"), message("alice", "1"), read("alice", "same"), message("alice", "2"), message("alice", "same"))
	c := e.resume(t, "alice", "same")
	c.expect(t, "message", "1")
	c.expect(t, "read", "same")
	c.expect(t, "message", "2", "same")
}

func TestUnknownIDs(t *testing.T) {
	tests := map[string]string{
		"never heard":             "unknown",
		"of another user":         "b",
		"too long":                strings.Repeat("é", 256),
		"invalid UTF-8":           "1\xff",
		"the beginning of one":    "long-",
		"an id of the same bytes": "e\u0301",
	}
	for name, id := range tests {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, stream.Deps{Inbox: newInbox(map[string]string{"alice": "newest"})})
			e.run(t)
			e.bus.publish(message("alice", "1"), message("bob", "b"), message("alice", "long-id"), message("alice", "é"),
				message("alice", strings.Repeat("é", 256)), message("alice", "1\xff"))
			c := e.resume(t, "alice", id)
			c.expect(t, "message", "newest")
			c.sentinel(t, e, "alice")
			if s := e.Stats(); s.Unknown != 1 || s.Resumed != 0 {
				t.Errorf("stats = %+v, want 1 unknown", s)
			}
		})
	}
}

func TestLongestIDIsKnown(t *testing.T) {
	id := strings.Repeat("é", 255)
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	e.bus.publish(message("alice", id), message("alice", "2"))
	e.resume(t, "alice", id).expect(t, "message", "2")
}

func TestResumeAfterTheWindowIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, feed := newBroker(t, stream.Deps{Inbox: newInbox(map[string]string{"alice": "newest"})})
		ctx, stop := context.WithCancel(t.Context())
		go func() { _ = b.Run(ctx) }()
		feed.publish(message("alice", "1"), message("alice", "2"))
		pass(time.Minute)
		feed.publish(message("bob", "keeps the block"))
		check := func(want ...string) {
			t.Helper()
			c := pipeWith(t, b, "alice", "1")
			if got := messageIDs(t, c); !cmp.Equal(got, want) {
				t.Errorf("heard %q, want %q", got, want)
			}
			_ = c.Close()
		}
		check("2")
		pass(time.Millisecond)
		check("newest")
		stop()
	})
}

// messageIDs gives the ids of the events that arrived.
func messageIDs(t *testing.T, c net.Conn) []string {
	t.Helper()
	synctest.Wait()
	return idsIn(readAll(t, c))
}

func idsIn(body string) []string {
	var ids []string
	for _, e := range ssetest.Parse(body).Events {
		if e.Type != "heartbeat" {
			ids = append(ids, e.LastEventID)
		}
	}
	return ids
}

// bodyOf takes the head away, if it is there, and the chunks, of which the last one may be incomplete.
func bodyOf(wire string) string {
	if strings.HasPrefix(wire, "HTTP/") {
		_, wire, _ = strings.Cut(wire, "\r\n\r\n")
	}
	body, err := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(wire)))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Sprintf("%s and then %v of %q", body, err, wire)
	}
	return string(body)
}

// recorder reads all that a client gets.
type recorder struct {
	net.Conn
	mu   sync.Mutex
	wire strings.Builder
}

func record(c net.Conn) *recorder {
	r := &recorder{Conn: c}
	go func() { _, _ = io.Copy(r, c) }()
	return r
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wire.Write(p)
}

// heard gives the body up to now.
func (r *recorder) heard() string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return bodyOf(r.wire.String())
}

func TestGapMakesIDsUnknownUntilItIsMadeUpFor(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(map[string]string{"alice": "newest"})})
	e.run(t)
	e.bus.publish(message("alice", "1"))
	e.bus.gap()
	e.bus.publish(message("alice", "3"))
	e.resume(t, "alice", "1").expect(t, "message", "newest")
	e.resume(t, "alice", "3").expect(t, "message", "newest")
	e.bus.publishLate(message("alice", "2"))
	e.resume(t, "alice", "1").expect(t, "message", "newest")
	e.bus.whole()
	e.resume(t, "alice", "1").expect(t, "message", "3", "2")
	e.resume(t, "alice", "3").expect(t, "message", "2")
}

func TestLostEventsMakeEarlierIDsUnknown(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(map[string]string{"alice": "newest"})})
	e.run(t)
	e.bus.publish(message("alice", "1"))
	e.bus.lose()
	e.bus.publish(message("alice", "2"), message("alice", "3"))
	e.resume(t, "alice", "1").expect(t, "message", "newest")
	e.resume(t, "alice", "2").expect(t, "message", "3")
}

// TestResumeFromALateEventStartsEarlier has a client that saw two events in another order at its
// former edge: it must not miss the one that this edge placed before.
func TestResumeFromALateEventStartsEarlier(t *testing.T) {
	at := func(id string, after time.Duration) bus.Event {
		e := message("alice", id)
		e.Time = noon.Add(after)
		return e
	}
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	e.bus.gap()
	e.bus.publishLate(at("old", 0), at("before", 5*time.Second), at("seen", 10*time.Second), at("after", 11*time.Second))
	e.bus.whole()
	e.resume(t, "alice", "seen").expect(t, "message", "before", "seen", "after")
	e.bus.publish(at("live", 12*time.Second), at("last", 12*time.Second))
	e.resume(t, "alice", "live").expect(t, "message", "last")
}
