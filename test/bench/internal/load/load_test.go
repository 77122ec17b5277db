package load_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/test/bench/internal/load"
)

func TestRunCountsWhatTheServerAnswered(t *testing.T) {
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != `{"a":1}` || r.Header.Get("Authorization") != "Bearer t" {
			t.Errorf("got %q with %v, %v", body, r.Header, err)
		}
		served.Add(1)
		_, _ = io.WriteString(w, strings.Repeat("x", 1000))
	}))
	defer server.Close()
	r, err := load.Run(t.Context(), server.Listener.Addr().String(), 4, 50*time.Millisecond,
		func(_ int, buf []byte) []byte { return load.Post(buf, "/x", "t", []byte(`{"a":1}`)) })
	if err != nil {
		t.Fatal(err)
	}
	if n := int(served.Load()); r.Requests != n || len(r.Latencies) != n || n == 0 {
		t.Errorf("%d requests with %d latencies, served %d", r.Requests, len(r.Latencies), n)
	}
}

func TestRunFailsOnAnythingBut200(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := load.Run(t.Context(), server.Listener.Addr().String(), 2, time.Minute,
		func(_ int, buf []byte) []byte { return load.Get(buf, "/x", "") })
	if err == nil || !strings.Contains(err.Error(), "404: 404 page not found") {
		t.Errorf("got %v", err)
	}
}

func TestConnEndsWithItsContext(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	}))
	defer server.Close()
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := load.Dial(ctx, server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := conn.Do(load.Get(nil, "/x", ""), false); err == nil {
		t.Error("a call to a server that hangs was answered")
	}
}
