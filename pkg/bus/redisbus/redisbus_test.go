package redisbus_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"google.golang.org/protobuf/proto"

	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/redis/redistest"
)

func TestBus(t *testing.T) {
	address := redistest.URL(t)
	bustest.Run(t, func(t *testing.T) (bus.Publisher, bus.Subscriber) {
		b := newBus(t, redisbus.Deps{Client: newClient(t, address)})
		return b, b
	})
}

func TestOneProcessHearsAnother(t *testing.T) {
	address := redistest.URL(t)
	bustest.Run(t, func(t *testing.T) (bus.Publisher, bus.Subscriber) {
		name := channelName()
		return newBus(t, redisbus.Deps{Client: newClient(t, address), Name: name}),
			newBus(t, redisbus.Deps{Client: newClient(t, address), Name: name})
	})
}

func message(id string) bus.Event {
	return bus.Event{Kind: bus.Message, User: "alice", ID: id, Time: time.UnixMilli(1_700_000_000_000)}
}

func messages(n int) bus.Frame {
	f := bus.Frame{Events: make([]bus.Event, n)}
	for i := range f.Events {
		f.Events[i] = message(fmt.Sprint(i))
	}
	return f
}

func frame(events ...bus.Event) bus.Frame { return bus.Frame{Events: events} }

// hear subscribes and gives a channel of the ids that arrive.
func hear(b *redisbus.Bus) <-chan string {
	ids := make(chan string, 10_000)
	b.Subscribe(bus.Handler{Frame: func(f bus.Frame) {
		for _, e := range f.Events {
			ids <- e.ID
		}
	}})
	return ids
}

// until publishes id until it is heard, as the sender of a hint does that may get lost.
func until(t *testing.T, b *redisbus.Bus, ids <-chan string, id string) {
	t.Helper()
	eventually(t, "an event is heard again", func() bool {
		b.Publish(t.Context(), frame(message(id)))
		select {
		case got := <-ids:
			return got == id
		case <-time.After(20 * time.Millisecond):
			return false
		}
	})
}

func TestFramesHoldUpToAHundredEvents(t *testing.T) {
	c, name := newClient(t, redistest.URL(t)), channelName()
	next := listen(t, c, name)
	b := newBus(t, redisbus.Deps{Client: c, Name: name})
	b.Publish(t.Context(), messages(250))
	var got []int
	for range 3 {
		var f eventv1.Frame
		if err := proto.Unmarshal([]byte(next()), &f); err != nil {
			t.Fatalf("decode: %v", err)
		}
		got = append(got, len(f.GetEvents()))
	}
	if diff := cmp.Diff([]int{100, 100, 50}, got); diff != "" {
		t.Errorf("events per frame (-want +got):\n%s", diff)
	}
}

func TestForeignPublicationsAreCountedAndSkipped(t *testing.T) {
	c, name := newClient(t, redistest.URL(t)), channelName()
	b := newBus(t, redisbus.Deps{Client: c, Name: name})
	ids := hear(b)
	newKind, err := proto.Marshal(&eventv1.Frame{Events: []*eventv1.Event{
		{Kind: 99, Username: "alice", Id: "from a later version"},
		{Kind: eventv1.EventKind_EVENT_KIND_READ, Username: "alice", Id: "known"},
		{Username: "alice", Id: "without a kind"},
	}})
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	for _, payload := range []string{
		"\xff", "\x0a\x7f", strings.Repeat("\x0a", 1000), "\x0a\x04\x12\x02\xff\xfe", string(newKind),
	} {
		if err := c.Publish(t.Context(), name+":events", payload).Err(); err != nil {
			t.Fatalf("publish: %v", err)
		}
	}
	b.Publish(t.Context(), frame(message("last")))
	if first, second := <-ids, <-ids; first != "known" || second != "last" {
		t.Errorf("heard %q and %q, want the two good events", first, second)
	}
	if s := b.Stats(); s.BadFrames != 4 || s.Skipped != 2 || s.Heard != 2 {
		t.Errorf("stats = %+v, want 4 bad frames, 2 skipped and 2 heard events", s)
	}
}

func TestEventsThatTheWireCannotCarryAreDropped(t *testing.T) {
	b := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t))})
	ids := hear(b)
	b.Publish(t.Context(), frame(
		message("\xff"), bus.Event{Kind: bus.Message, User: "\xc0\x80", ID: "x"},
		bus.Event{Kind: 77, User: "alice", ID: "x"}, message("good"),
	))
	if got := <-ids; got != "good" {
		t.Errorf("heard %q, want the good event only", got)
	}
	eventually(t, "three events are counted as dropped", func() bool {
		s := b.Stats()
		return s.Dropped == 3 && s.Published == 1 && s.QueuedBytes == 0
	})
}

// impatient are settings with which faults are found within a second, which is longer than a busy machine
// keeps Redis from answering. The tests that wait for it run beside each other.
func impatient(d redisbus.Deps) redisbus.Deps {
	d.Timeout = 500 * time.Millisecond
	d.ProbeInterval = 50 * time.Millisecond
	d.Silence = time.Second
	return d
}

func TestHalfOpenSubscriptionIsReplaced(t *testing.T) {
	t.Parallel()
	p, address := newProxy(t)
	name := channelName()
	near := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t)), Name: name})
	far := newBus(t, impatient(redisbus.Deps{Client: newClient(t, address), Name: name}))
	ids := hear(far)
	until(t, near, ids, "before")

	p.forget()
	until(t, near, ids, "after")
	if n := far.Stats().Replaced; n != 1 {
		t.Errorf("replaced %d connections, want 1", n)
	}
}

func TestQuietSubscriptionThatWorksIsKept(t *testing.T) {
	c, name := newClient(t, redistest.URL(t)), channelName()
	next := listen(t, c, name)
	b := newBus(t, redisbus.Deps{
		Client: c, Name: name, ProbeInterval: 20 * time.Millisecond, Silence: 10 * time.Second,
	})
	hear(b)
	for range 20 {
		if got := next(); got != "" {
			t.Fatalf("heard %q, want a probe", got)
		}
	}
	if s := b.Stats(); s.Replaced != 0 || s.Heard != 0 || !s.Up {
		t.Errorf("stats = %+v, want a bus that is up and hears no events", s)
	}
}

func TestBusComesBackFromABlackHole(t *testing.T) {
	t.Parallel()
	p, address := newProxy(t)
	b := newBus(t, impatient(redisbus.Deps{Client: newClient(t, address)}))
	ids := hear(b)
	until(t, b, ids, "before")

	p.blackHole()
	b.Publish(t.Context(), messages(10))
	eventually(t, "the bus is down and the events are dropped", func() bool {
		s := b.Stats()
		return !s.Up && s.Dropped >= 10
	})
	p.heal()
	until(t, b, ids, "after")
	eventually(t, "the bus is up", func() bool { return b.Stats().Up })
}

// TestABusIsUpAgainWithoutPublishing has a sender whose watermarks leave the bus no reason to probe.
func TestABusIsUpAgainWithoutPublishing(t *testing.T) {
	away := &away{}
	client := newClient(t, redistest.URL(t))
	client.AddHook(away)
	name := channelName()
	b := newBus(t, redisbus.Deps{Client: client, Name: name, ProbeInterval: 200 * time.Millisecond})
	hear(b)
	near := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t)), Name: name})
	var watermarks sync.WaitGroup
	done := make(chan struct{})
	watermarks.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for n := int64(1); ; n++ {
			select {
			case <-tick.C:
				near.Publish(context.Background(), bus.Frame{Watermark: bus.Position{Transaction: 1, Sequence: n}})
			case <-done:
				return
			}
		}
	})
	defer watermarks.Wait()
	defer close(done)

	away.Store(true)
	b.Publish(t.Context(), frame(message("lost")))
	eventually(t, "the bus is down", func() bool { return !b.Stats().Up })
	away.Store(false)
	eventually(t, "the bus is up", func() bool { return b.Stats().Up })
}

// away is a Redis that takes no publications while it is true.
type away struct{ atomic.Bool }

func (a *away) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (a *away) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (a *away) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if a.Load() {
			return io.EOF
		}
		return next(ctx, cmds)
	}
}

func TestBusComesBackFromARestart(t *testing.T) {
	p, address := newProxy(t)
	b := newBus(t, redisbus.Deps{Client: newClient(t, address)}) // patient: the reset itself is noticed
	ids := hear(b)
	until(t, b, ids, "before")
	for i := range 3 {
		p.reset()
		until(t, b, ids, fmt.Sprint("after ", i))
	}
	if n := b.Stats().Replaced; n < 3 {
		t.Errorf("replaced %d connections, want at least 3", n)
	}
}

func TestSubscribeDoesNotWaitForRedis(t *testing.T) {
	b := newBus(t, impatient(redisbus.Deps{Client: newClient(t, silentServer(t))}))
	cancel := b.Subscribe(bus.Handler{Frame: func(bus.Frame) {}})
	if b.Stats().Up {
		t.Error("a bus whose subscription was never confirmed is up")
	}
	cancel()
}

func TestClosedBusHearsNothing(t *testing.T) {
	b := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t))})
	if err := b.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
	b.Subscribe(bus.Handler{
		Frame: func(bus.Frame) { t.Error("heard a frame on a closed bus") },
		Gap:   func() { t.Error("hearing began on a closed bus") },
	})()
}

func TestNewRefusesBadSettings(t *testing.T) {
	if _, err := redisbus.New(redisbus.Deps{}); err == nil {
		t.Error("a bus without a client was made")
	}
	d := redisbus.Deps{Client: newClient(t, "redis://127.0.0.1:1"), ProbeInterval: time.Second, Silence: time.Second}
	if _, err := redisbus.New(d); err == nil {
		t.Error("a bus was made that is silent before it probes")
	}
}
