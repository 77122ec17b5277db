package stream_test

import (
	"bufio"
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/conn"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
)

// patience bounds every wait; only a broken broker uses it up.
const patience = 20 * time.Second

// feed is a source that calls its one subscriber at once.
type feed struct {
	mu     sync.Mutex
	handle *stream.Handler
}

func (f *feed) Subscribe(h stream.Handler) (cancel func()) {
	f.set(&h)
	return func() { f.set(nil) }
}

func (f *feed) set(h *stream.Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handle = h
}

// heard tells whether anybody subscribes.
func (f *feed) heard() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.handle != nil
}

func (f *feed) publish(events ...bus.Event) {
	f.tell(func(h *stream.Handler) { h.Frame(bus.Frame{Events: events}, stream.Arrival{To: stream.Forever}) })
}

func (f *feed) publishLate(events ...bus.Event) {
	f.tell(func(h *stream.Handler) {
		h.Frame(bus.Frame{Events: events}, stream.Arrival{Late: true, To: stream.Forever})
	})
}

// publishTo publishes events that are not for all streams.
func (f *feed) publishTo(a stream.Arrival, events ...bus.Event) {
	f.tell(func(h *stream.Handler) { h.Frame(bus.Frame{Events: events}, a) })
}

// begin begins an epoch.
func (f *feed) begin(epoch uint32) { f.tell(func(h *stream.Handler) { h.Gap(epoch); h.Whole() }) }

func (f *feed) gap()       { f.tell(func(h *stream.Handler) { h.Gap(0) }) }
func (f *feed) whole()     { f.tell(func(h *stream.Handler) { h.Whole() }) }
func (f *feed) lookAgain() { f.tell(func(h *stream.Handler) { h.LookAgain() }) }

func (f *feed) lose() { f.tell(func(h *stream.Handler) { h.Lost() }) }

func (f *feed) tell(what func(*stream.Handler)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.handle != nil {
		what(f.handle)
	}
}

var noon = time.UnixMilli(1_700_000_000_000)

func message(user, id string) bus.Event {
	return bus.Event{Kind: bus.Message, User: user, ID: id, Time: noon}
}

// edge is a broker behind a real HTTP server.
type edge struct {
	*stream.Broker
	bus    *feed
	server *httptest.Server
}

// newBroker makes a broker with settings for tests where d has none.
func newBroker(t testing.TB, d stream.Deps) (*stream.Broker, *feed) {
	t.Helper()
	f := &feed{}
	d.Events = f
	d.Logger = slog.New(slog.DiscardHandler)
	if d.Heartbeat == 0 {
		d.Heartbeat = time.Hour
	}
	if d.MaxStreams == 0 {
		d.MaxStreams = 100_000
	}
	if d.ResumeWindow == 0 {
		d.ResumeWindow = time.Minute
	}
	if d.ResumeMemory == 0 {
		d.ResumeMemory = 1 << 20
	}
	b, err := stream.New(d)
	if err != nil {
		t.Fatalf("new broker: %v", err)
	}
	return b, f
}

// newEdge starts an edge, and stops it with the test, which must leave no goroutine behind.
func newEdge(t *testing.T, d stream.Deps) *edge {
	t.Helper()
	e := unstartedEdge(t, d)
	e.start()
	return e
}

func (e *edge) start() {
	if *overTLS {
		e.server.Listener = conn.Listener(e.server.Listener)
		e.server.StartTLS()
	} else {
		e.server.Start()
	}
}

func unstartedEdge(t *testing.T, d stream.Deps) *edge {
	t.Helper()
	leaked := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaked) })
	e := &edge{}
	e.Broker, e.bus = newBroker(t, d)
	e.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user := r.URL.Query().Get("user")
		if user == "expiring" {
			caller := auth.Principal{Expires: time.Now().Add(100 * time.Millisecond)}
			r = r.WithContext(auth.With(r.Context(), caller))
		}
		topics, err := topic.Parse(cmp.Or(r.URL.Query().Get("topics"), "inbox"))
		if err != nil {
			t.Error(err)
		}
		if err := e.Serve(w, r, user, topics); err != nil {
			t.Errorf("serve: %v", err)
		}
	}))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		e.server.Close()
	})
	return e
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-again.C:
		case <-late.C:
			t.Fatalf("still waiting until %s", what)
		}
	}
}

// takeover is a response writer whose connection is one end of a pipe.
type takeover struct {
	httptest.ResponseRecorder
	conn net.Conn
}

func (w *takeover) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.conn, nil, nil }

// serve makes conn the user's stream.
func serve(t testing.TB, b *stream.Broker, conn net.Conn, user string) {
	t.Helper()
	serveWith(t, b, conn, user, "")
}

func serveWith(t testing.TB, b *stream.Broker, conn net.Conn, user, lastID string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/message-hub/stream", nil)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	if err := b.Serve(&takeover{conn: conn}, r, user, topic.Inbox); err != nil {
		t.Fatalf("serve: %v", err)
	}
}

// pipe opens the user's stream over a pipe, for tests with a fake clock.
func pipe(t *testing.T, b *stream.Broker, user string) net.Conn {
	t.Helper()
	return pipeWith(t, b, user, "")
}

func pipeWith(t *testing.T, b *stream.Broker, user, lastID string) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	serveWith(t, b, far, user, lastID)
	return near
}

// run runs the broker's loops until the test is over.
func (e *edge) run(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
}

func read(user, id string) bus.Event {
	return bus.Event{Kind: bus.Read, User: user, ID: id, Time: noon}
}
