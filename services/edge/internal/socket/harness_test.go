package socket_test

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/auth"
	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/socket"
	"example.com/hub/services/edge/internal/stream"
	"example.com/hub/services/edge/internal/topic"
)

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

func (f *feed) tell(what func(*stream.Handler)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.handle != nil {
		what(f.handle)
	}
}

func (f *feed) publish(events ...bus.Event) {
	f.publishTo(stream.Arrival{To: stream.Forever}, events...)
}

func (f *feed) publishTo(a stream.Arrival, events ...bus.Event) {
	f.tell(func(h *stream.Handler) { h.Frame(bus.Frame{Events: events}, a) })
}

var noon = time.UnixMilli(1_700_000_000_000)

func message(user, id string) bus.Event {
	return bus.Event{Kind: bus.Message, User: user, ID: id, Time: noon}
}

func read(user, id string) bus.Event {
	return bus.Event{Kind: bus.Read, User: user, ID: id, Time: noon}
}

// inboxes are the counts that a test sets.
type inboxes struct {
	mu     sync.Mutex
	unread map[string]int64
	err    error
	calls  []call
	hold   chan struct{} // calls wait for it; nil for none
}

type call struct {
	at    time.Time
	users []string
}

func (i *inboxes) Unread(ctx context.Context, users []string) ([]int64, error) {
	i.mu.Lock()
	i.calls = append(i.calls, call{time.Now(), slices.Clone(users)})
	err, hold := i.err, i.hold
	counts := make([]int64, len(users))
	for n, user := range users {
		counts[n] = i.unread[user]
	}
	i.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	return counts, err
}

func (i *inboxes) set(user string, unread int64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.unread[user] = unread
}

func (i *inboxes) fail(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.err = err
}

// take gives the calls since the last time.
func (i *inboxes) take() (calls []call) {
	i.mu.Lock()
	defer i.mu.Unlock()
	calls, i.calls = i.calls, nil
	return calls
}

var errAway = errors.New("away")

// edge is a broker that runs.
type edge struct {
	*socket.Broker
	bus   *feed
	inbox *inboxes
}

// newBroker makes a broker with settings for tests where d has none.
func newBroker(t testing.TB, d socket.Deps) *edge {
	t.Helper()
	e := &edge{bus: &feed{}, inbox: &inboxes{unread: map[string]int64{}}}
	d.Events, d.Logger = e.bus, slog.New(slog.DiscardHandler)
	if d.Counts == nil {
		d.Counts = e.inbox
	}
	if d.Heartbeat == 0 {
		d.Heartbeat = 1000 * time.Hour
	}
	if d.MaxSockets == 0 {
		d.MaxSockets = 20_000
	}
	if d.PerUser == 0 {
		d.PerUser = 5
	}
	b, err := socket.New(d)
	if err != nil {
		t.Fatalf("new broker: %v", err)
	}
	e.Broker = b
	return e
}

// start makes a broker that runs until the test is over.
func start(t testing.TB, d socket.Deps) *edge {
	t.Helper()
	e := newBroker(t, d)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		limited, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = e.Shutdown(limited)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return e
}

// takeover is a response writer whose connection is one end of a pipe.
type takeover struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (w *takeover) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.conn, bufio.NewReadWriter(bufio.NewReader(w.conn), bufio.NewWriter(w.conn)), nil
}

// handshake is a request for a socket.
func handshake(t testing.TB, p auth.Principal) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(auth.With(context.Background(), p), http.MethodGet, "/message-hub/ws", nil)
	r.Header = http.Header{
		"Connection": {"keep-alive, Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="},
	}
	return r
}

var portal = auth.Principal{Client: "portal"}

// bare opens a socket over a pipe that nobody reads.
func (e *edge) bare(t testing.TB, user string, p auth.Principal) net.Conn {
	t.Helper()
	return e.bareWith(t, user, p, topic.Inbox)
}

func (e *edge) bareWith(t testing.TB, user string, p auth.Principal, topics topic.Set) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	w := &takeover{httptest.NewRecorder(), far}
	if f := e.Serve(w, handshake(t, p), user, topics); f != nil {
		t.Fatalf("no socket: %+v", f)
	}
	if w.Code != http.StatusSwitchingProtocols {
		t.Fatalf("status %d", w.Code)
	}
	return near
}

// open opens a socket over a pipe.
func (e *edge) open(t testing.TB, user string) *peer {
	t.Helper()
	return e.openAs(t, user, portal)
}

func (e *edge) openAs(t testing.TB, user string, p auth.Principal) *peer {
	t.Helper()
	return follow(e.bare(t, user, p))
}

func (e *edge) openWith(t testing.TB, user string, topics topic.Set) *peer {
	t.Helper()
	return follow(e.bareWith(t, user, portal, topics))
}

// pass lets time pass until nothing moves.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// eventually waits until ok.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	late := time.NewTimer(20 * time.Second)
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
