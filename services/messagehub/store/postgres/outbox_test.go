package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/services/messagehub/internal/inbox"
	"example.com/hub/services/messagehub/internal/outbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// patience bounds every wait; only a broken outbox uses it up.
const patience = 20 * time.Second

// redisURL names the server to test with.
func redisURL(t testing.TB) string {
	t.Helper()
	address := os.Getenv("HUB_TEST_REDIS") //nolint:forbidigo // only the tests know the server
	switch {
	case address != "":
	case os.Getenv("CI") == "true": //nolint:forbidigo // see above
		t.Fatal("HUB_TEST_REDIS is not set")
	default:
		t.Skip("HUB_TEST_REDIS is not set")
	}
	return address
}

// channel gives a name that no other test uses.
func channel() string { return "{test-" + rand.Text() + "}" }

func redisBus(t testing.TB, address, name string) *redisbus.Bus {
	t.Helper()
	client, err := redisbus.NewClient(address)
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

// fast are the times of an outbox whose test has no patience.
var fast = outbox.Deps{Interval: 50 * time.Millisecond, Lease: 200 * time.Millisecond, Patience: 100 * time.Millisecond}

// run starts an outbox until kill or the end of the test. After kill, its lease goes on.
func run(t testing.TB, log outbox.Log, b *redisbus.Bus, times outbox.Deps) (o *outbox.Outbox, kill func()) {
	t.Helper()
	alive, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	times.Log, times.Publisher, times.Subscriber = mortal{log, alive.Err}, b, b
	times.Logger = slog.New(slog.DiscardHandler)
	o, err := outbox.New(times)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := o.Run(alive); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	kill = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(kill)
	return o, kill
}

// mortal is the log of a process that dies without a word.
type mortal struct {
	outbox.Log
	dead func() error
}

func (m mortal) Release(ctx context.Context, holder string, settled bus.Position) error {
	if err := m.dead(); err != nil {
		return err
	}
	return m.Log.Release(ctx, holder, settled)
}

// listener keeps what is heard on a bus.
type listener struct {
	more chan struct{}

	mu     sync.Mutex
	events map[bus.Position][]bus.Event // parts in the order in which they were first heard
	parts  map[bus.Position][]int
	times  map[bus.Position]int // how often part 0 was heard
	fence  bus.Position
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
	if !f.Fence.IsZero() {
		l.fence = f.Fence
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

// TestCrashBeforeTheAnnouncement commits and announces nothing, as a process does that dies in
// between; another one runs with the times of production.
func TestCrashBeforeTheAnnouncement(t *testing.T) {
	t.Parallel()
	address, name := redisURL(t), channel()
	s := open(t, schema(t))
	l := listen(t, redisBus(t, address, name))
	o, _ := run(t, s, redisBus(t, address, name), outbox.Deps{})
	for _, n := range []int{1, 250, postgres.CopyFrom} {
		began := time.Now()
		frame := commit(t, s, n)
		l.hears(t, 3*time.Second, wanted(frame))
		t.Logf("%d events were heard after %v", n, time.Since(began).Round(time.Millisecond))
	}
	pushed(t, s, messageTo("m1", "ann"))
	read := markRead(t, s, "m1", "ann")
	l.hears(t, 3*time.Second, map[bus.Position][]bus.Event{
		read.Position: {{Kind: bus.Read, User: "ann", ID: "m1", Time: start.Add(time.Minute)}},
	})
	if swept := o.Stats().Swept; swept != 5 {
		t.Errorf("swept %d rows, want 5", swept)
	}
}

// TestSuccessorAnnouncesWhatADeadLeaderDidNot kills the leader right after a commit.
func TestSuccessorAnnouncesWhatADeadLeaderDidNot(t *testing.T) {
	t.Parallel()
	address, name := redisURL(t), channel()
	s := open(t, schema(t))
	l := listen(t, redisBus(t, address, name))
	first, kill := run(t, s, redisBus(t, address, name), outbox.Deps{})
	l.until(t, patience, "the first one leads", func() bool { return first.Stats().Leader })
	second, _ := run(t, s, redisBus(t, address, name), outbox.Deps{})

	frame := commit(t, s, 3)
	kill()
	l.hears(t, 3*time.Second, wanted(frame))
	if !second.Stats().Leader {
		t.Error("it was not the successor that announced")
	}
}

// TestLateCommitIsAnnounced is the case that an order by sequence alone skips: a row is committed
// after rows behind it were announced, heard and settled as far as they can be.
func TestLateCommitIsAnnounced(t *testing.T) {
	t.Parallel()
	address, name := redisURL(t), channel()
	dsn := schema(t)
	s := open(t, dsn)
	l := listen(t, redisBus(t, address, name))
	o, _ := run(t, s, redisBus(t, address, name), fast)
	tx, late := begin(t, dsn)
	for range 3 {
		frame := commit(t, s, 2)
		if late.Compare(frame.Position) >= 0 {
			t.Fatalf("the late row %v is not before %v", late, frame.Position)
		}
		o.Publish(t.Context(), frame)
		l.hears(t, patience, wanted(frame))
		if fence := l.nextFence(t); fence.Compare(late) >= 0 {
			t.Fatalf("the fence %v passed %v, which is not committed", fence, late)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.until(t, patience, "the late row is heard", func() bool { return len(l.events[late]) == 1 })
	l.until(t, patience, "the fence passes it", func() bool { return l.fence.Compare(late) > 0 })
}

// TestLateCommitIsSkippedInTheOrderOfRows is the same without the fence, to show that it matters.
func TestLateCommitIsSkippedInTheOrderOfRows(t *testing.T) {
	t.Parallel()
	address, name := redisURL(t), channel()
	dsn := schema(t)
	s := open(t, dsn)
	l := listen(t, redisBus(t, address, name))
	o, _ := run(t, unfenced{s}, redisBus(t, address, name), fast)
	tx, late := begin(t, dsn)
	before := commit(t, s, 2)
	o.Publish(t.Context(), before)
	l.until(t, patience, "the row is settled", func() bool { return l.fence.Compare(before.Position) > 0 })
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := commit(t, s, 2)
	l.hears(t, patience, wanted(after))
	l.until(t, patience, "the next row is settled", func() bool { return l.fence.Compare(after.Position) > 0 })
	if n := l.heardTimes()[late]; n != 0 {
		t.Errorf("the late row was announced %d times", n)
	}
}

// unfenced is a log that takes every row for final.
type unfenced struct{ outbox.Log }

func (u unfenced) Rows(ctx context.Context, after bus.Position, limit int) (outbox.Window, error) {
	w, err := u.Log.Rows(ctx, after, limit)
	w.Fence = after
	if n := len(w.Rows); n > 0 {
		w.Fence = bus.Position{Transaction: w.Rows[n-1].Position.Transaction + 1}
	}
	return w, err
}

// heardTimes gives how often each row was heard.
func (l *listener) heardTimes() map[bus.Position]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.times)
}

// nextFence waits for a fence that is published from now on.
func (l *listener) nextFence(t testing.TB) bus.Position {
	t.Helper()
	l.mu.Lock()
	l.fence = bus.Position{}
	l.mu.Unlock()
	l.until(t, patience, "a fence is heard", func() bool { return !l.fence.IsZero() })
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fence
}

// TestHeardRowsAreNotAnnouncedAgain sweeps many times over rows that were announced.
func TestHeardRowsAreNotAnnouncedAgain(t *testing.T) {
	t.Parallel()
	address, name := redisURL(t), channel()
	s := open(t, schema(t))
	l := listen(t, redisBus(t, address, name))
	o, _ := run(t, s, redisBus(t, address, name), fast)
	var frames []bus.Frame
	for i := range 50 {
		frames = append(frames, commit(t, s, 1+i*5))
		o.Publish(t.Context(), frames[i])
	}
	last := frames[len(frames)-1].Position
	l.hears(t, patience, wanted(frames...))
	l.until(t, patience, "all rows are settled", func() bool { return l.fence.Compare(last) > 0 })
	for p, n := range l.heardTimes() {
		if n != 1 {
			t.Errorf("%v was heard %d times", p, n)
		}
	}
	if s := o.Stats(); s.Swept != 0 || s.Repeated != 0 || s.Announced != 50 {
		t.Errorf("stats %+v, want 50 announced and none swept", s)
	}
}

// TestRestoredCluster starts with the position of a server that was far ahead.
func TestRestoredCluster(t *testing.T) {
	t.Parallel()
	address, name := redisURL(t), channel()
	dsn := schema(t)
	s := open(t, dsn)
	if _, err := connect(t, dsn).Exec(t.Context(), `UPDATE event_sweep SET xid = '1099511627776'`); err != nil {
		t.Fatal(err)
	}
	l := listen(t, redisBus(t, address, name))
	run(t, s, redisBus(t, address, name), fast)
	frame := commit(t, s, 3)
	l.hears(t, patience, wanted(frame))
	l.until(t, patience, "the fence is one of this server", func() bool {
		return l.fence.Compare(frame.Position) > 0 && l.fence.Transaction < 1<<40
	})
}

// TestRedisOutage cuts the outbox off from Redis for a while. The listener hears all along.
func TestRedisOutage(t *testing.T) {
	t.Parallel()
	name := channel()
	s := open(t, schema(t))
	gate, through := newGate(t, redisURL(t))
	l := listen(t, redisBus(t, redisURL(t), name))
	b := redisBus(t, through, name)
	o, _ := run(t, s, b, fast)
	l.until(t, patience, "a fence is heard", func() bool { return !l.fence.IsZero() })

	gate.close()
	var frames []bus.Frame
	for range 300 {
		frame := commit(t, s, 10)
		o.Publish(t.Context(), frame)
		frames = append(frames, frame)
	}
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for s := b.Stats(); s.Dropped < 3000; s = b.Stats() {
		if s.Published > 0 {
			t.Fatalf("the gate is not closed: %+v", s)
		}
		<-again.C
	}
	gate.open()
	l.hears(t, 10*time.Second, wanted(frames...))
	l.until(t, patience, "all rows are settled", func() bool { return l.fence.Compare(frames[299].Position) > 0 })
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
			go relay(server, client, func([]byte) bool { return false })
			go relay(client, server, func([]byte) bool { return false })
		}
	}()
	return g, (&url.URL{Scheme: "redis", Host: listener.Addr().String(), User: u.User}).String()
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
