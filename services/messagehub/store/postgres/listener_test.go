package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/redis"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// patience bounds every wait; only a broken outbox uses it up.
const patience = 20 * time.Second

// channel gives a name that no other test uses.
func channel() string { return "{test-" + rand.Text() + "}" }

func redisBus(t testing.TB, address, name string) *redisbus.Bus {
	t.Helper()
	client, err := redis.NewClient(address)
	if err != nil {
		t.Fatal(err)
	}
	b, err := redisbus.New(redisbus.Deps{Client: client, Name: name, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.Close(context.WithoutCancel(t.Context()))
		_ = client.Close()
	})
	return b
}

// listener keeps what is heard on a bus.
type listener struct {
	more chan struct{}

	mu        sync.Mutex
	events    map[bus.Position][]bus.Event // parts in the order in which they were first heard
	parts     map[bus.Position][]int
	times     map[bus.Position]int // how often part 0 was heard
	watermark bus.Position
}

func listen(t testing.TB, b bus.Subscriber) *listener {
	t.Helper()
	l := &listener{
		more:   make(chan struct{}, 1),
		events: map[bus.Position][]bus.Event{},
		parts:  map[bus.Position][]int{},
		times:  map[bus.Position]int{},
	}
	t.Cleanup(b.Subscribe(bus.Handler{Frame: l.hear}))
	return l
}

func (l *listener) hear(f bus.Frame) {
	l.mu.Lock()
	if !f.Watermark.IsZero() {
		l.watermark = f.Watermark
	}
	if f.Part == 0 && len(f.Events) > 0 {
		l.times[f.Position]++
	}
	if len(f.Events) > 0 && !slices.Contains(l.parts[f.Position], f.Part) {
		l.parts[f.Position] = append(l.parts[f.Position], f.Part)
		l.events[f.Position] = append(l.events[f.Position], f.Events...)
	}
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// until waits for the condition, which is looked at whenever something was heard.
func (l *listener) until(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		l.mu.Lock()
		done := ok()
		l.mu.Unlock()
		if done {
			return
		}
		select {
		case <-l.more:
		case <-late.C:
			t.Fatalf("after %v still waiting until %s", limit, what)
		}
	}
}

// hears waits until the rows were heard with all their events.
func (l *listener) hears(t testing.TB, limit time.Duration, want map[bus.Position][]bus.Event) {
	t.Helper()
	l.until(t, limit, fmt.Sprintf("%d rows are heard", len(want)), func() bool {
		for p, events := range want {
			if len(l.events[p]) < len(events) {
				return false
			}
		}
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, events := range want {
		if diff := cmp.Diff(events, l.events[p], millis); diff != "" {
			t.Errorf("events of %v (-want +heard):\n%s", p, diff)
		}
	}
}

// millis compares times as the bus carries them.
var millis = cmp.Comparer(func(a, b time.Time) bool { return a.UnixMilli() == b.UnixMilli() })

// messages are the events of a push.
func messages(result inbox.PushResult, p inbox.PushParams) bus.Frame {
	f := bus.Frame{Position: result.Position}
	for _, c := range result.Created {
		f.Events = append(f.Events, bus.Event{Kind: bus.Message, User: c.Username, ID: c.ID, Time: p.Now})
	}
	return f
}

// commit pushes a message of its own to n users and announces nothing.
func commit(t testing.TB, s *postgres.Store, n int) bus.Frame {
	t.Helper()
	p := pushTo(n)
	p.SourceMessageID = rand.Text()
	result, err := s.Push(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return messages(result, p)
}

func wanted(frames ...bus.Frame) map[bus.Position][]bus.Event {
	want := map[bus.Position][]bus.Event{}
	for _, f := range frames {
		want[f.Position] = f.Events
	}
	return want
}

// heardTimes gives how often each row was heard.
func (l *listener) heardTimes() map[bus.Position]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.times)
}

// nextWatermark waits for a watermark that is published from now on.
func (l *listener) nextWatermark(t testing.TB) bus.Position {
	t.Helper()
	l.mu.Lock()
	l.watermark = bus.Position{}
	l.mu.Unlock()
	l.until(t, patience, "a watermark is heard", func() bool { return !l.watermark.IsZero() })
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.watermark
}

// gate stands between a client and a server, and can be closed.
type gate struct {
	mu     sync.Mutex
	closed bool
	conns  []net.Conn
}

// newGate gives an open gate and the URL that leads through it.
func newGate(t *testing.T, address string) (g *gate, through string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	network, host := "tcp", u.Host
	if u.Scheme == "unix" {
		network, host = "unix", u.Path
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	g = &gate{}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, host)
			if err != nil || !g.admit(client, server) {
				_ = client.Close()
				continue
			}
			go relay(server, client)
			go relay(client, server)
		}
	}()
	return g, (&url.URL{Scheme: "redis", Host: listener.Addr().String(), User: u.User}).String()
}

// relay copies until either side ends, and then ends both.
func relay(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_, _ = to.Close(), from.Close()
}

func (g *gate) admit(conns ...net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.conns = append(g.conns, conns...)
	}
	return !g.closed
}

// close cuts all connections, and every new one.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, c := range g.conns {
		_ = c.Close()
	}
	g.conns = nil
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
}
