package redisbus_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/redis/redistest"
)

// silentServer accepts connections and never answers.
func silentServer(t testing.TB) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return "redis://" + l.Addr().String()
}

func TestFullQueueDropsAndNeverBlocks(t *testing.T) {
	d := redisbus.Deps{Client: newClient(t, silentServer(t)), QueueBytes: 100_000, Timeout: 200 * time.Millisecond}
	b := newBus(t, d)
	publication := messages(100)
	for range 100 {
		b.Publish(t.Context(), publication)
	}
	s := b.Stats()
	if s.QueuedBytes > d.QueueBytes || s.Dropped == 0 || s.Dropped%100 != 0 {
		t.Errorf("stats = %+v, want whole publications dropped and at most %d bytes queued", s, d.QueueBytes)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("close = %v, want %v", err, context.Canceled)
	}
	if s := b.Stats(); s.Dropped != 10_000 || s.QueuedBytes != 0 {
		t.Errorf("stats after close = %+v, want all 10,000 events dropped", s)
	}
}

func TestFrameLargerThanTheQueueIsPublished(t *testing.T) {
	b := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t)), QueueBytes: 1000})
	ids := hear(b)
	b.Publish(t.Context(), messages(1000))
	for i := range 1000 {
		if got, want := <-ids, fmt.Sprint(i); got != want {
			t.Fatalf("heard %q, want %q", got, want)
		}
	}
}

func TestClosePublishesWhatIsQueued(t *testing.T) {
	c, name := newClient(t, redistest.URL(t)), channelName()
	var heard atomic.Int64
	listener := newBus(t, redisbus.Deps{Client: c, Name: name})
	listener.Subscribe(bus.Handler{Frame: func(f bus.Frame) { heard.Add(int64(len(f.Events))) }})
	b := newBus(t, redisbus.Deps{Client: c, Name: name})
	for range 300 {
		b.Publish(t.Context(), messages(100))
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
	b.Publish(t.Context(), messages(1))
	if s := b.Stats(); s.Published != 30_000 || s.Dropped != 1 {
		t.Errorf("stats = %+v, want 30,000 published, and dropped what came after Close", s)
	}
	eventually(t, "all events are heard", func() bool { return heard.Load() == 30_000 })
}

// TestSmallFramesOfNoRowAreJoined publishes them while an exchange is under way; they come in their order, and
// those of rows by themselves.
func TestSmallFramesOfNoRowAreJoined(t *testing.T) {
	c, name := newClient(t, redistest.URL(t)), channelName()
	frames := make(chan bus.Frame, 100)
	listener := newBus(t, redisbus.Deps{Client: c, Name: name})
	listener.Subscribe(bus.Handler{Frame: func(f bus.Frame) {
		f.Events = slices.Clone(f.Events)
		frames <- f
	}})
	b := newBus(t, redisbus.Deps{Client: c, Name: name})
	const before, after = 250, 30
	publish := func(from, n int) {
		for i := range n {
			b.Publish(t.Context(), frame(message(fmt.Sprint(from+i))))
		}
	}
	publish(0, before)
	row := frame(message(fmt.Sprint(before)))
	row.Position = bus.Position{Transaction: 1}
	b.Publish(t.Context(), row)
	publish(before+1, after)

	heard, parts := 0, 0
	for heard < before+1+after {
		f := <-frames
		parts++
		if len(f.Events) > bus.MaxEvents || !f.Position.IsZero() && len(f.Events) != 1 {
			t.Fatalf("heard %d events of the row %v in a frame", len(f.Events), f.Position)
		}
		for _, e := range f.Events {
			if e.ID != fmt.Sprint(heard) {
				t.Fatalf("heard %s, want %d", e.ID, heard)
			}
			heard++
		}
	}
	if parts > (before+after)/2 {
		t.Errorf("%d events came in %d frames", heard, parts)
	}
	eventually(t, "nothing is queued", func() bool { return b.Stats().QueuedBytes == 0 })
}

// TestDroppedEventsAreToldOf has Redis be away for a while, and then an event that cannot be encoded.
func TestDroppedEventsAreToldOf(t *testing.T) {
	t.Parallel()
	p, address := newProxy(t)
	name := channelName()
	told := make(chan bool, 100)
	listener := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t)), Name: name})
	listener.Subscribe(bus.Handler{Frame: func(f bus.Frame) { told <- f.AnyTodo() }})
	b := newBus(t, impatient(redisbus.Deps{Client: newClient(t, address), Name: name, Dropped: bus.AnyTodo}))
	b.Publish(t.Context(), frame(message("1")))
	if <-told {
		t.Fatal("told before anything was dropped")
	}
	eventually(t, "Redis has answered", func() bool { return b.Stats().Published == 1 })
	p.blackHole()
	b.Publish(t.Context(), frame(message("2")))
	eventually(t, "an event is dropped", func() bool { return b.Stats().Dropped > 0 })
	p.heal()
	if !<-told {
		t.Fatal("heard an event that was dropped")
	}
	b.Publish(t.Context(), frame(bus.Event{Kind: 99}))
	if !<-told {
		t.Fatal("heard an event of no kind")
	}
	b.Publish(t.Context(), frame(message("3")))
	if <-told {
		t.Error("told once more")
	}
}

// TestFramesWaitForTheIntervalTogether publishes events one after the other, each when Redis could have taken the
// one before. The first one waits for nobody.
func TestFramesWaitForTheIntervalTogether(t *testing.T) {
	c, name := newClient(t, redistest.URL(t)), channelName()
	next := listen(t, c, name)
	b := newBus(t, redisbus.Deps{Client: c, Name: name, Interval: 2 * time.Second})
	b.Publish(t.Context(), frame(message("first")))
	frames := []string{next()}
	for range 19 {
		b.Publish(t.Context(), frame(message("more")))
		if err := c.Ping(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
	}
	frames = append(frames, next())
	for i, want := range []int{1, 19} {
		var f eventv1.Frame
		if err := proto.Unmarshal([]byte(frames[i]), &f); err != nil || len(f.GetEvents()) != want {
			t.Errorf("a frame has %d events, %v, want %d", len(f.GetEvents()), err, want)
		}
	}
}
