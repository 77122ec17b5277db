package crowd_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/hub/test/bench/internal/crowd"
)

func TestCrowdCountsEachKindOfEvent(t *testing.T) {
	const n = 20
	conns := make(chan net.Conn, n)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\nretry: 3000\n\n"))
		conns <- conn
	}))
	defer server.Close()
	c, err := crowd.Join(t.Context(), strings.TrimPrefix(server.URL, "http://"), "", 0, n)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	messages, beats := crowd.Expect(crowd.Message, 2*n, c), crowd.Expect(crowd.Heartbeat, n, c)
	began := time.Now()
	for range n {
		conn := <-conns
		// Cut inside the mark, and behind it.
		for _, part := range []string{
			"event: heartbeat\ndata: {}\n\neve", "nt: message\ndata: {\"type\":\"message\"}\n\nevent: ", "message\ndata: {}\n\n",
		} {
			if _, err := conn.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, w := range []*crowd.Wave{messages, beats} {
		first, last, err := w.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if first.Before(began.Add(-time.Millisecond)) || last.Before(first) {
			t.Errorf("from %v to %v, began %v", first, last, began)
		}
	}
	if err := crowd.Calm(t.Context(), crowd.Message, 10*time.Millisecond, c); err != nil {
		t.Error(err)
	}
	<-c.Heard(3)
	if got := len(c.Heard(3)); got != 1 {
		t.Errorf("client 3 heard %d more messages, want 1", got)
	}
	c.Forget()
	if got := len(c.Heard(3)); got != 0 {
		t.Errorf("client 3 still has %d messages", got)
	}
}

func TestJoinFailsWhenOneStreamDoesNotOpen(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("user") == crowd.User(3) {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, "retry: 3000\n\n")
	}))
	defer server.Close()
	if _, err := crowd.Join(t.Context(), strings.TrimPrefix(server.URL, "http://"), "", 0, 5); err == nil ||
		!strings.Contains(err.Error(), crowd.User(3)) {
		t.Errorf("got %v", err)
	}
}
