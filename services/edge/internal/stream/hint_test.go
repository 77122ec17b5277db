package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/stream"
)

// inbox answers with the user's newest id, which the tests set.
type inbox struct {
	mu     sync.Mutex
	newest map[string]string
	fail   error
	asked  int
}

func (i *inbox) Newest(_ context.Context, user string) (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	return i.newest[user], i.fail
}

func (i *inbox) set(change func(*inbox)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change(i)
}

func (i *inbox) times() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

func newInbox(newest map[string]string) *inbox { return &inbox{newest: newest} }

func TestUnknownIDOfAnEmptyInboxYieldsNothing(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: newInbox(nil)})
	e.run(t)
	e.resume(t, "alice", "unknown").sentinel(t, e, "alice")
}

func TestUnknownIDWithoutAnInboxYieldsNothing(t *testing.T) {
	e := newEdge(t, stream.Deps{})
	e.resume(t, "alice", "unknown").sentinel(t, e, "alice")
}

func TestInboxThatCannotAnswerHoldsNobodyUp(t *testing.T) {
	e := newEdge(t, stream.Deps{Inbox: &inbox{fail: fmt.Errorf("wrong key: %w", stream.ErrNoAnswer)}})
	e.run(t)
	e.resume(t, "alice", "unknown").sentinel(t, e, "alice")
}

func TestClientsHearTheHintBeforeWhatCameMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{fail: errors.New("away"), newest: map[string]string{"alice": "newest"}}
		b, feed := newBroker(t, stream.Deps{Inbox: box, Heartbeat: time.Second})
		ctx, stop := context.WithCancel(t.Context())
		go func() { _ = b.Run(ctx) }()
		c := record(pipeWith(t, b, "alice", "unknown"))
		for n := range 3 {
			feed.publish(message("alice", fmt.Sprint(n)))
			pass(1500 * time.Millisecond)
		}
		if wire := c.heard(); len(idsIn(wire)) != 0 || strings.Count(wire, "event: heartbeat\n") != 4 {
			t.Fatalf("heard %q while messagehub is away, want four heartbeats", wire)
		}
		box.set(func(i *inbox) { i.fail = nil })
		pass(10 * time.Second)
		feed.publish(message("alice", "live"))
		want := []string{"newest", "0", "1", "2", "live"}
		if got := idsIn(c.heard()); !cmp.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		_ = c.Close()
		stop()
	})
}

func TestHintAfterALongOutageReplaysWhatTheRingStillHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		box := &inbox{fail: errors.New("away"), newest: map[string]string{"alice": "newest"}}
		b, feed := newBroker(t, stream.Deps{Inbox: box, Heartbeat: time.Second})
		ctx, stop := context.WithCancel(t.Context())
		go func() { _ = b.Run(ctx) }()
		c := record(pipeWith(t, b, "alice", "unknown"))
		feed.publish(message("alice", "covered by the hint"))
		pass(2 * time.Minute)
		box.set(func(i *inbox) { i.fail = nil })
		pass(10 * time.Second)
		feed.publish(message("alice", "live"))
		if got := idsIn(c.heard()); !cmp.Equal(got, []string{"newest", "live"}) {
			t.Errorf("heard %q, want the hint and the live event", got)
		}
		if s := b.Stats(); s.Open != 1 || s.SlowClosed != 0 {
			t.Errorf("stats = %+v, want the stream open", s)
		}
		_ = c.Close()
		stop()
	})
}

// crowd counts how many ask at a time.
type crowd struct {
	now, most atomic.Int64
	release   chan struct{}
}

func (c *crowd) Newest(ctx context.Context, user string) (string, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	select {
	case <-c.release:
		return "newest of " + user, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func TestFewHintsAreAskedForAtATime(t *testing.T) {
	const clients = 200
	box := &crowd{release: make(chan struct{})}
	e := newEdge(t, stream.Deps{Inbox: box})
	e.run(t)
	conns := make([]*client, clients)
	for i := range conns {
		conns[i] = e.resume(t, fmt.Sprint("user-", i), "unknown")
	}
	gone := e.resume(t, "gone", "unknown")
	eventually(t, "as many ask as may", func() bool { return box.now.Load() == 50 })
	_ = gone.Close()
	close(box.release)
	for i, c := range conns {
		c.expect(t, "message", fmt.Sprint("newest of user-", i))
	}
	if most := box.most.Load(); most != 50 {
		t.Errorf("%d asked at a time, want 50", most)
	}
}

func TestStreamsThatEndAreNotAskedFor(t *testing.T) {
	box := &inbox{fail: errors.New("away")}
	e := newEdge(t, stream.Deps{Inbox: box})
	for i := range 100 {
		_ = e.resume(t, fmt.Sprint("user-", i), "unknown").Close()
	}
	eventually(t, "all streams are gone", func() bool { return e.Stats().Open == 0 })
	if n := stream.WaitingHints(e.Broker); n != 0 {
		t.Errorf("%d streams wait for a hint, want none", n)
	}
	c := e.resume(t, "alice", "unknown")
	e.run(t)
	eventually(t, "alice is asked for", func() bool { return box.times() > 0 })
	_ = c.Close()
	eventually(t, "alice is gone", func() bool { return e.Stats().Open == 0 })
	before := box.times()
	<-time.After(time.Second)
	if n := box.times() - before; n > 1 {
		t.Errorf("asked %d times for a client that is gone", n)
	}
}
