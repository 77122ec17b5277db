package redisbus_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/redisbus"
)

// silentServer accepts connections and never answers.
func silentServer(t *testing.T) (address string) {
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
	b := newBus(t, redisbus.Deps{Client: newClient(t, redisURL(t)), QueueBytes: 1000})
	ids := hear(b)
	b.Publish(t.Context(), messages(1000))
	for i := range 1000 {
		if got, want := <-ids, fmt.Sprint(i); got != want {
			t.Fatalf("heard %q, want %q", got, want)
		}
	}
}

func TestClosePublishesWhatIsQueued(t *testing.T) {
	c, name := newClient(t, redisURL(t)), channelName()
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
