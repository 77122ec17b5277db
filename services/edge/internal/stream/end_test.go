package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/sse/ssetest"
	"example.com/hub/services/edge/internal/stream"
)

// TestClientsTellAnEndFromACut has clients of net/http, which know the end of a body by its last chunk.
func TestClientsTellAnEndFromACut(t *testing.T) {
	tests := map[string]struct {
		// user has a stream that ends by itself or by end, which gets the server's side of it.
		user string
		end  func(t *testing.T, e *edge, server net.Conn)
		want error
	}{
		"replaced": {user: "alice", end: func(t *testing.T, e *edge, _ net.Conn) { e.open(t, "alice") }},
		"drained":  {user: "alice", end: func(t *testing.T, e *edge, _ net.Conn) { _ = e.Shutdown(t.Context()) }},
		"expired":  {user: "expiring"},
		"refused":  {user: "one too many"},
		// The kernel closes the connections of a process that dies.
		"crash": {user: "alice", end: func(_ *testing.T, _ *edge, server net.Conn) { _ = server.Close() }, want: io.ErrUnexpectedEOF},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := unstartedEdge(t, stream.Deps{CloseAtExpiry: true, MaxStreams: 2})
			taken := make(chan net.Conn, 10)
			e.server.Config.ConnState = func(c net.Conn, state http.ConnState) {
				if state == http.StateHijacked {
					taken <- c
				}
			}
			e.start()
			e.open(t, "bob")
			<-taken
			if tt.user == "one too many" {
				e.open(t, "carol")
				<-taken
			}
			resp := e.get(t, tt.user)
			e.bus.publish(message("alice", "1"))
			if server := <-taken; tt.end != nil {
				tt.end(t, e, server)
			}
			if body, err := io.ReadAll(resp.Body); !errors.Is(err, tt.want) {
				t.Errorf("the client read %q and then %v, want %v", body, err, tt.want)
			}
		})
	}
}

// get opens the user's stream with a client of net/http.
func (e *edge) get(t *testing.T, user string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, e.server.URL+"/?user="+url.QueryEscape(user), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := e.server.Client().Do(r)
	if err != nil {
		t.Fatalf("open the stream of %s: %v", user, err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// TestHTTP10HasNoChunks has a client that knows the end of a body by that of its connection.
func TestHTTP10HasNoChunks(t *testing.T) {
	e := newEdge(t, stream.Deps{MaxStreams: 1, Clock: func() time.Time { return noon }})
	e.bus.publish(message("alice", "1"), message("alice", "2"))
	conn := e.connect(t)
	if _, err := io.WriteString(conn, "GET /?user=alice HTTP/1.0\r\nLast-Event-ID: 1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the stream is open", func() bool { return e.Stats().Open == 1 })
	e.bus.publish(message("alice", "3"))

	refused := e.connect(t)
	if _, err := io.WriteString(refused, "GET /?user=bob HTTP/1.0\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if got := bare(t, refused); ssetest.Parse(got).Retry != "15000" {
		t.Errorf("a client that is refused heard %q", got)
	}

	e.open(t, "alice")
	if body := bare(t, conn); !cmp.Equal(idsIn(body), []string{"2", "3"}) || ssetest.Parse(body).Retry == "3000" {
		t.Errorf("heard %q, want events 2 and 3 and another retry", body)
	}
}

// bare reads an answer to its end and gives a body without chunks.
func bare(t *testing.T, conn net.Conn) string {
	t.Helper()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	wire, err := io.ReadAll(conn)
	head, body, _ := strings.Cut(string(wire), "\r\n\r\n")
	if err != nil || strings.Contains(head, "chunked") || strings.Contains(body, "\r") {
		t.Errorf("read %q and then %v, want a body without chunks", wire, err)
	}
	return body
}

// TestTheFirstEventStandsBehindTheRetryLine has parsers in mind for which a blank line behind it would be
// an event without data.
func TestTheFirstEventStandsBehindTheRetryLine(t *testing.T) {
	for kind, deps := range map[string]stream.Deps{"message": {}, "heartbeat": {Heartbeat: 10 * time.Millisecond}} {
		t.Run(kind, func(t *testing.T) {
			e := newEdge(t, deps)
			c := e.dial(t, "alice")
			c.readHead(t)
			if kind == "heartbeat" {
				e.run(t)
			} else {
				eventually(t, "the stream is open", func() bool { return e.Stats().Open == 1 })
				e.bus.publish(bus.Event{Kind: bus.Message, User: "alice", ID: "1", Time: noon})
			}
			got := c.frame(t)
			if len(got.Events) != 1 || got.Events[0].Type != kind || got.Retry != "3000" {
				t.Errorf("the first block is %s, want a %s and the retry", fmt.Sprint(*got), kind)
			}
		})
	}
}
