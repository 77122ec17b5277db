package chaos

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/hub/pkg/lifecycle"
)

// sing runs a tab on a server of streams, until the returned time is over.
func sing(t *testing.T, stream http.HandlerFunc, until func(*tab) bool) *tab {
	t.Helper()
	server := httptest.NewServer(stream)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	it := newTab("alice", &portal{address: strings.TrimPrefix(server.URL, "http://")})
	done := make(chan struct{})
	go func() { defer close(done); it.run(ctx) }()
	for !until(it) && lifecycle.Sleep(ctx, time.Millisecond) {
		continue
	}
	cancel()
	<-done
	return it
}

func TestTabResumes(t *testing.T) {
	t.Parallel()
	ids := make(chan string, 100)
	it := sing(t, func(w http.ResponseWriter, r *http.Request) {
		ids <- r.Header.Get("Last-Event-ID")
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "retry: 1\n\nevent: message\nid: r1\ndata: {\"type\":\"message\",\"id\":\"r1\",\"ts\":1}\n\n"+
			"event: heartbeat\ndata: {\"type\":\"heartbeat\",\"id\":null,\"ts\":1}\n\n"+
			"event: message\nid: r2\ndata: {\"type\"") // cut off
	}, func(it *tab) bool { return len(it.seen()) >= 2 })
	if first, second := <-ids, <-ids; first != "" || second != "r1" {
		t.Errorf("sent the ids %q and %q", first, second)
	}
	seen := it.seen()
	if seen[0].resumes || !seen[1].resumes || it.count("message") != 1 {
		t.Errorf("saw %v", seen)
	}
}

func TestTabWaitsAsItIsTold(t *testing.T) {
	t.Parallel()
	it := sing(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "retry: 200\n\n")
	}, func(it *tab) bool { opens, _ := it.openings(); return len(opens) == 2 })
	opens, _ := it.openings()
	if waited := opens[1].at.Sub(opens[0].closed); waited < 200*time.Millisecond {
		t.Errorf("came back after %v", waited)
	}
}

func TestTabGivesUp(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]http.HandlerFunc{
		"a status":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"another type":  func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") },
		"a broken data": broadcast("event: message\nid: r1\ndata: {}\n\n"),
		"another id":    broadcast("event: message\nid: r1\ndata: {\"type\":\"message\",\"id\":\"r2\",\"ts\":1}\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			it := sing(t, stream, func(it *tab) bool { _, ended := it.openings(); return ended != nil })
			if _, ended := it.openings(); ended == nil {
				t.Error("goes on")
			}
		})
	}
}

func broadcast(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, text)
	}
}
