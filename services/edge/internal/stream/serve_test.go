package stream_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
)

func TestWire(t *testing.T) {
	e := newEdge(t, stream.Deps{Clock: func() time.Time { return noon }})
	c := e.dial(t, "alice")
	eventually(t, "the stream is open", func() bool { return e.Stats().Open == 1 })
	e.bus.publish(
		message("alice", "m-1"),
		bus.Event{Kind: bus.Read, User: "alice", ID: "s 1", Time: noon.Add(1500 * time.Microsecond)},
	)
	want := "HTTP/1.1 200 OK\r\n" +
		"Cache-Control: no-cache, no-transform\r\n" +
		"Connection: close\r\n" +
		"Content-Type: text/event-stream\r\n" +
		"Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n" +
		"Transfer-Encoding: chunked\r\n" +
		"X-Accel-Buffering: no\r\n" +
		"X-Content-Type-Options: nosniff\r\n" +
		"\r\n" +
		"c\r\nretry: 3000\n\r\n" +
		"4f\r\nevent: message\nid: m-1\ndata: {\"type\":\"message\",\"id\":\"m-1\",\"ts\":1700000000000}\n\n\r\n" +
		"49\r\nevent: read\nid: s 1\ndata: {\"type\":\"read\",\"id\":\"s 1\",\"ts\":1700000000001}\n\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil {
		t.Fatalf("read %q and then: %v", got, err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("wire (-want +got):\n%s", diff)
	}
}

func TestHeadersOfTheHandlersBeforeAreSent(t *testing.T) {
	b, _ := newBroker(t, stream.Deps{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "42")
		w.Header().Set("Content-Length", "7")
		if err := b.Serve(w, r, "alice", topic.Inbox); err != nil {
			t.Errorf("serve: %v", err)
		}
	}))
	defer server.Close()
	resp, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	if err := b.Shutdown(t.Context()); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if id := resp.Header.Get("X-Request-Id"); id != "42" || resp.ContentLength != -1 {
		t.Errorf("request id = %q, content length = %d, want 42 and none", id, resp.ContentLength)
	}
}

func TestConnectionThatCannotBeTakenOver(t *testing.T) {
	b, _ := newBroker(t, stream.Deps{})
	w := httptest.NewRecorder()
	err := b.Serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), "alice", topic.Inbox)
	if !errors.Is(err, http.ErrNotSupported) || w.Body.Len() > 0 || len(w.Header()) > 0 {
		t.Errorf("serve = %v with %d bytes and header %v, want %v and nothing written",
			err, w.Body.Len(), w.Header(), http.ErrNotSupported)
	}
}

func TestEventsReachTheirUserOnly(t *testing.T) {
	e := newEdge(t, stream.Deps{})
	names := []string{"alice", "Alice", "é", "e\u0301", "a b&user=bob", "bob"}
	clients := map[string]*client{}
	for _, name := range names {
		clients[name] = e.open(t, name)
	}
	for i, name := range names {
		e.bus.publish(message(name, fmt.Sprint("only-", i)), message("nobody", "x"), bus.Event{Kind: 99, User: name, ID: "x"})
	}
	for _, name := range names {
		e.bus.publish(message(name, "last"))
	}
	for i, name := range names {
		clients[name].expect(t, "message", fmt.Sprint("only-", i), "last")
	}
	if n := e.Stats().Delivered; n != uint64(2*len(names)) {
		t.Errorf("delivered %d events, want %d", n, 2*len(names))
	}
}

func TestNewConnectionReplacesTheOldOne(t *testing.T) {
	e := newEdge(t, stream.Deps{})
	first := e.open(t, "alice")
	other := e.open(t, "bob")
	e.bus.publish(message("alice", "1"))
	second := e.open(t, "alice")
	e.bus.publish(message("alice", "2"), message("bob", "3"))

	first.expect(t, "message", "1")
	first.expectEnd(t, 3*time.Second, 4500*time.Millisecond)
	second.expect(t, "message", "2")
	other.expect(t, "message", "3")
	if s := e.Stats(); s.Open != 2 || s.Replaced != 1 {
		t.Errorf("stats = %+v, want 2 open and 1 replaced", s)
	}
}

func TestReplacedClientsStayAwayLongerEachTime(t *testing.T) {
	var mu sync.Mutex
	now := noon
	e := newEdge(t, stream.Deps{Clock: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}})
	c := e.open(t, "alice")
	for _, seconds := range []time.Duration{3, 6, 12, 24, 48, 60, 60} {
		next := e.open(t, "alice")
		c.expectEnd(t, seconds*time.Second, seconds*time.Second*3/2)
		c = next
	}
	mu.Lock()
	now = now.Add(2 * time.Minute)
	mu.Unlock()
	e.open(t, "alice")
	c.expectEnd(t, 3*time.Second, 4500*time.Millisecond)
}

func TestReplacementsCountForTwoMinutes(t *testing.T) {
	var r stream.Replacements
	for i := range 20 {
		r = stream.With(r, noon.Add(time.Duration(i)*30*time.Second))
	}
	if len(r) != 4 {
		t.Errorf("%d replacements half a minute apart count, want 4", len(r))
	}
}

func TestClientThatLeavesIsForgotten(t *testing.T) {
	e := newEdge(t, stream.Deps{})
	stays := e.open(t, "bob")
	for range 3 {
		c := e.open(t, "alice")
		if err := c.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
		eventually(t, "the stream is gone", func() bool { return e.Stats().Open == 1 })
	}
	e.bus.publish(message("alice", "1"), message("bob", "2"))
	stays.expect(t, "message", "2")
	if n := e.Stats().Delivered; n != 1 {
		t.Errorf("delivered %d events, want 1", n)
	}
}

func TestClientMaySendALittleMore(t *testing.T) {
	e := newEdge(t, stream.Deps{})
	c := e.open(t, "alice")
	if _, err := c.Write(make([]byte, 1000)); err != nil {
		t.Fatalf("write: %v", err)
	}
	e.bus.publish(message("alice", "1"))
	c.expect(t, "message", "1")
	_, _ = c.Write(make([]byte, 8000)) // too much: the server may reset the connection meanwhile
	eventually(t, "the stream is closed", func() bool { return e.Stats().Open == 0 })
}

func TestFullEdgeSendsClientsAway(t *testing.T) {
	e := newEdge(t, stream.Deps{MaxStreams: 2})
	alice, bob := e.open(t, "alice"), e.open(t, "bob")
	carol := e.dial(t, "carol")
	carol.readHead(t)
	carol.expectEnd(t, 15*time.Second, 15*time.Second+1)

	again := e.open(t, "alice") // takes no further place
	alice.expectEnd(t, 3*time.Second, 4500*time.Millisecond)
	e.bus.publish(message("alice", "1"), message("bob", "2"), message("carol", "3"))
	again.expect(t, "message", "1")
	bob.expect(t, "message", "2")
	if s := e.Stats(); s.Open != 2 || s.Refused != 1 {
		t.Errorf("stats = %+v, want 2 open and 1 refused", s)
	}

	if err := bob.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
	eventually(t, "there is room", func() bool { return e.Stats().Open == 1 })
	e.open(t, "carol")
}

func TestReplacementsCanBeLimited(t *testing.T) {
	e := newEdge(t, stream.Deps{MaxReplacements: 1})
	e.open(t, "alice")
	second := e.open(t, "alice")
	third := e.dial(t, "alice")
	third.readHead(t)
	third.expectEnd(t, 15*time.Second, 15*time.Second+1)
	e.open(t, "bob") // has a limit of his own
	e.bus.publish(message("alice", "1"))
	second.expect(t, "message", "1")
	eventually(t, "2 are open, 1 is refused and 1 replaced", func() bool {
		s := e.Stats()
		return s.Open == 2 && s.Refused == 1 && s.Replaced == 1
	})
}

func TestUnsafeIDsAreCounted(t *testing.T) {
	e := newEdge(t, stream.Deps{})
	c := e.open(t, "alice")
	e.bus.publish(message("alice", "a\n\nevent: read\ndata: {}"), message("alice", "b"))
	c.expect(t, "message", "", "b")
	if s := e.Stats(); s.UnsafeIDs != 1 || s.Delivered != 2 {
		t.Errorf("stats = %+v, want 1 unsafe id in 2 delivered events", s)
	}
}

func TestBadSettingsAreNamed(t *testing.T) {
	_, err := stream.New(stream.Deps{DrainSpread: -1})
	const want = "stream: no events to hear\n" +
		"stream: the heartbeat interval must be more than 0\n" +
		"stream: at least one stream must be allowed\n" +
		"stream: the spread of a drain must not be negative\n" +
		"stream: the time to resume in must be more than 0\n" +
		"stream: the memory for resumes must be at least 1 MiB"
	if err == nil || err.Error() != want {
		t.Errorf("error = %v, want\n%s", err, want)
	}
}
