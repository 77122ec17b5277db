package edge_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/config"
	"example.com/hub/pkg/field"
	"example.com/hub/services/edge"
)

func load(t *testing.T, environ ...string) (edge.Config, error) {
	t.Helper()
	var c edge.Config
	err := config.Load(&c, environ)
	return c, err
}

func TestConfigDefaults(t *testing.T) {
	got, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	want := edge.Config{
		TimeZone: "UTC", MaxBody: 4 << 20, MaxBodyMemory: 128 << 20, PageConfig: field.PageConfig{MaxPageSize: 200}, MaxListMemory: 256 << 20, CallTimeout: 5 * time.Second,
		BodyTimeout: 10 * time.Second, AnswerTimeout: time.Minute, Heartbeat: 15 * time.Second, MaxStreams: 100_000,
		MaxSockets: 20_000, SocketsPerUser: 5,
		ResumeWindow: time.Minute, ResumeMemory: 64 << 20, Issuer: got.Issuer, Forwarder: got.Forwarder, Browser: got.Browser, Users: got.Users,
		Files:       got.Files,
		EventCenter: got.EventCenter,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults differ (-want +got):\n%s", diff)
	}
	if got.MaxReceive() != 200*256<<10 {
		t.Errorf("MaxReceive is %d", got.MaxReceive())
	}
}

func TestConfigNamesEveryFault(t *testing.T) {
	faults := []string{
		"HUB_ERROR_STATUS=404", "HUB_TIME_ZONE=Mars/Olympus", "HUB_MAX_BODY=1023", "HUB_MAX_BODY_MEMORY=4091",
		"HUB_MAX_PAGE_SIZE=0", "HUB_MAX_LIST_MEMORY=-1",
		"HUB_CALL_TIMEOUT=0s", "HUB_BODY_TIMEOUT=0s", "HUB_ANSWER_TIMEOUT=-1s", "HUB_HEARTBEAT_INTERVAL=0s", "HUB_MAX_STREAMS=0",
		"HUB_MAX_STREAM_REPLACEMENTS=6", "HUB_MAX_SOCKETS=0", "HUB_SOCKETS_PER_USER=0", "HUB_DRAIN_SPREAD=-1s",
	}
	_, err := load(t, faults...)
	if err == nil {
		t.Fatal("all faults were taken")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(faults) {
		t.Errorf("%d lines for %d faults:\n%v", len(lines), len(faults), err)
	}
	for i, line := range lines {
		if name, _, _ := strings.Cut(faults[i], "="); !strings.HasPrefix(line, name+": ") {
			t.Errorf("line %q is not of %s", line, name)
		}
	}
	for _, fault := range faults {
		if _, err := load(t, fault); err == nil {
			t.Errorf("%s was taken", fault)
		}
	}
}

// hubs answer every call with an empty message.
type hubs struct{ grpc.ClientConnInterface }

func (hubs) Invoke(context.Context, string, any, any, ...grpc.CallOption) error { return nil }

type anyone struct{}

func (anyone) Verify(context.Context, string) (auth.Principal, error) {
	return auth.Principal{Client: "erp", Scopes: []string{auth.ScopeClient}}, nil
}

// feed is a bus whose events the test makes.
type feed struct{ handle func(bus.Frame) }

func (f *feed) Subscribe(h bus.Handler) (cancel func()) {
	f.handle = h.Frame
	return func() { f.handle = nil }
}

func newEdge(t *testing.T, f *feed, environ ...string) *edge.Edge {
	t.Helper()
	c, err := load(t, environ...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := edge.New(edge.Deps{Config: c, Todo: hubs{}, Messages: hubs{}, Events: f, Verifier: anyone{}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNewNeedsItsDependencies(t *testing.T) {
	c, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	whole := edge.Deps{Config: c, Todo: hubs{}, Messages: hubs{}, Events: &feed{}, Verifier: anyone{}}
	for name, remove := range map[string]func(*edge.Deps){
		"todo":     func(d *edge.Deps) { d.Todo = nil },
		"messages": func(d *edge.Deps) { d.Messages = nil },
		"events":   func(d *edge.Deps) { d.Events = nil },
		"verifier": func(d *edge.Deps) { d.Verifier = nil },
		"config":   func(d *edge.Deps) { d.Config = edge.Config{} },
	} {
		d := whole
		remove(&d)
		if _, err := edge.New(d); err == nil {
			t.Errorf("made without %s", name)
		}
	}
}

func TestZoneAndMaskReachREST(t *testing.T) {
	e := newEdge(t, &feed{}, "HUB_TIME_ZONE=Asia/Kathmandu", "HUB_ERROR_STATUS=200")
	defer func() { _ = e.Shutdown(t.Context()) }()

	r := httptest.NewRequestWithContext(t.Context(), "POST", "/todo-hub/todos", strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer good")
	w := httptest.NewRecorder()
	e.Handler().ServeHTTP(w, r)
	if !strings.Contains(w.Body.String(), `"createTime":"1970-01-01 05:30:00"`) {
		t.Errorf("answer %s", w.Body)
	}
	w = httptest.NewRecorder()
	e.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/nothing", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"code":"-1"`) {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
}

func TestDrainEndsConnectionsAfterTheirAnswer(t *testing.T) {
	e := newEdge(t, &feed{})
	defer func() { _ = e.Shutdown(t.Context()) }()
	server := httptest.NewServer(e.Handler())
	defer server.Close()
	for _, draining := range []bool{false, true} {
		if draining {
			e.Drain()
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/openapi.yaml", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.Close != draining {
			t.Errorf("draining %v: the connection closes: %v, %v", draining, response.Close, err)
		}
		_ = response.Body.Close()
	}
}

// An event of the bus and a heartbeat reach a stream through the whole edge, and Shutdown ends it.
func TestStream(t *testing.T) {
	f := &feed{}
	e := newEdge(t, f, "HUB_HEARTBEAT_INTERVAL=10ms")
	server := httptest.NewServer(e.Handler())
	defer server.Close()

	ctx, cancel := context.WithCancel(t.Context())
	beating := make(chan error, 1)
	go func() { beating <- e.Run(ctx) }()

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/message-hub/stream?user=amy", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer good")
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("status %d, content type %q", response.StatusCode, got)
	}
	lines := bufio.NewScanner(response.Body)
	wantLine(t, lines, "retry: 3000")
	f.handle(bus.Frame{Events: []bus.Event{{Kind: bus.Message, User: "amy", ID: "42-1", Time: time.UnixMilli(5)}}})
	wantLine(t, lines, "id: 42-1")
	wantLine(t, lines, "event: heartbeat")
	if got := e.Streams().Open; got != 1 {
		t.Errorf("%d streams are open", got)
	}

	cancel()
	if err := errors.Join(<-beating, e.Shutdown(t.Context())); err != nil {
		t.Error(err)
	}
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
	if f.handle != nil {
		t.Error("the edge still hears events")
	}
}

// wantLine reads up to the line.
func wantLine(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	for lines.Scan() {
		if lines.Text() == want {
			return
		}
	}
	t.Fatalf("the stream ended before %q: %v", want, lines.Err())
}
