package edge_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/config"
	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"
	"example.com/hub/services/edge"
)

// expiring takes every token for one that expires soon.
type expiring struct{ after time.Duration }

func (e expiring) Verify(context.Context, string) (auth.Principal, error) {
	return auth.Principal{Client: "portal", Scopes: []string{auth.ScopeClient}, Expires: time.Now().Add(e.after)}, nil
}

// eventLog has two recent events of alice.
type eventLog struct{}

func (eventLog) ListEvents(context.Context, *eventv1.ListEventsRequest, ...grpc.CallOption) (*eventv1.ListEventsResponse, error) {
	var events []*eventv1.Event
	for _, id := range []string{"1", "2"} {
		events = append(events, &eventv1.Event{
			Kind: eventv1.EventKind_EVENT_KIND_MESSAGE, Username: "alice", Id: id, Ts: time.Now().Add(-time.Hour).UnixMilli(),
		})
	}
	return &eventv1.ListEventsResponse{
		Frames: []*eventv1.Frame{{Position: &eventv1.Position{Transaction: 1, Sequence: 1}, Events: events}},
		Fence:  &eventv1.Position{Transaction: 2},
	}, nil
}

func (eventLog) GetNewestRecord(context.Context, *eventv1.GetNewestRecordRequest, ...grpc.CallOption) (*eventv1.GetNewestRecordResponse, error) {
	return &eventv1.GetNewestRecordResponse{Id: "newest"}, nil
}

// start runs an edge over HTTP until the test is over. It leaves nothing behind.
func start(t *testing.T, expires time.Duration, environ ...string) (*edge.Edge, *membus.Bus, string) {
	t.Helper()
	return startOn(t, expires, eventLog{}, func(b *membus.Bus) bus.Subscriber { return b }, environ...)
}

// noHub is never called.
type noHub struct{ grpc.ClientConnInterface }

// startOn is start with another log, and with a line between the bus and the edge.
func startOn(
	t *testing.T, expires time.Duration, log eventv1.EventServiceClient, line func(*membus.Bus) bus.Subscriber, environ ...string,
) (*edge.Edge, *membus.Bus, string) {
	t.Helper()
	leaked := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaked) })
	var cfg edge.Config
	if err := config.Load(&cfg, environ); err != nil {
		t.Fatal(err)
	}
	events := membus.New()
	e, err := edge.New(edge.Deps{
		Config:   cfg,
		Todo:     noHub{},
		Messages: noHub{},
		Events:   line(events),
		EventLog: log,
		Verifier: expiring{expires},
		Logger:   slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	server := httptest.NewServer(e.Handler())
	t.Cleanup(func() {
		if err := e.Shutdown(context.Background()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		server.Close()
		if err := events.Close(context.Background()); err != nil {
			t.Errorf("close bus: %v", err)
		}
	})
	return e, events, server.URL
}

// open asks for the stream of alice and gives its lines that start with one of the prefixes.
func open(t *testing.T, url, query string, prefixes ...string) (next func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/message-hub/stream?user=alice"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer x")
	transport := &http.Transport{}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = resp.Body.Close()
		transport.CloseIdleConnections()
	})
	lines := bufio.NewScanner(resp.Body)
	return func() string {
		t.Helper()
		for lines.Scan() {
			for _, p := range prefixes {
				if strings.HasPrefix(lines.Text(), p) {
					return lines.Text()
				}
			}
		}
		return "end"
	}
}

func expect(t *testing.T, next func() string, want ...string) {
	t.Helper()
	for _, line := range want {
		if got := next(); got != line {
			t.Fatalf("heard %q, want %q", got, line)
		}
	}
}

func TestClientsComeBackToARestartedEdge(t *testing.T) {
	e, events, url := start(t, time.Hour)
	for !e.Events().Whole {
		<-time.After(time.Millisecond)
	}
	events.Publish(t.Context(), bus.Frame{Events: []bus.Event{{Kind: bus.Read, User: "alice", ID: "3", Time: time.Now()}}})
	// The events of the log came late, so the one that the client saw is repeated.
	expect(t, open(t, url, "&lastEventId=1", "id:"), "id: 1", "id: 2", "id: 3")
	expect(t, open(t, url, "&lastEventId=0", "id:"), "id: newest")
}

func TestStreamsEndWithTheirTokensIfAsked(t *testing.T) {
	e, _, url := start(t, 200*time.Millisecond, "HUB_STREAM_CLOSE_AT_TOKEN_EXPIRY=true")
	next := open(t, url, "", "retry:")
	expect(t, next, "retry: 3000")
	if got := next(); len(got) != len("retry: 1234") {
		t.Errorf("the stream ended with %q, want a retry of 1 to 5 s", got)
	}
	expect(t, next, "end")
	if n := e.Streams().Expired; n != 1 {
		t.Errorf("%d streams expired, want 1", n)
	}
}

func TestFaultyResumeSettingsAreNamed(t *testing.T) {
	var cfg edge.Config
	err := config.Load(&cfg, []string{"HUB_RESUME_WINDOW=10m", "HUB_RESUME_MEMORY=1000"})
	const want = "HUB_RESUME_WINDOW: must be from 1s to 9m, not 10m0s\nHUB_RESUME_MEMORY: must be from 1048576 to 1073741824 bytes, not 1"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error = %v, want in it\n%s", err, want)
	}
}
