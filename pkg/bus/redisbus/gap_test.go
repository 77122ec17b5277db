package redisbus_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	eventv1 "example.com/hub/proto/gen/go/hub/event/v1"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/redis/redistest"
)

// diary gives what a subscriber is told, in order: ids, and "gap".
func diary(b *redisbus.Bus) <-chan string {
	told := make(chan string, 10_000)
	b.Subscribe(bus.Handler{
		Frame: func(f bus.Frame) {
			for _, e := range f.Events {
				told <- e.ID
			}
		},
		Gap: func() { told <- "gap" },
	})
	return told
}

func expectNext(t *testing.T, told <-chan string, want string) {
	t.Helper()
	select {
	case got := <-told:
		if got != want {
			t.Fatalf("told %q, want %q", got, want)
		}
	case <-time.After(patience):
		t.Fatalf("still waiting for %q", want)
	}
}

// TestEveryReplacementIsAGap publishes each event once: what is published after the gap was told
// must be heard.
func TestEveryReplacementIsAGap(t *testing.T) {
	for name, fault := range map[string]func(*proxy){"reset": (*proxy).reset, "half-open": (*proxy).forget} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, address := newProxy(t)
			channel := channelName()
			near := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t)), Name: channel})
			far := newBus(t, impatient(redisbus.Deps{Client: newClient(t, address), Name: channel}))
			told := diary(far)
			expectNext(t, told, "gap")
			for i := range 5 {
				id := fmt.Sprint("event ", i)
				near.Publish(t.Context(), frame(message(id)))
				expectNext(t, told, id)
				fault(p)
				expectNext(t, told, "gap")
			}
			near.Publish(t.Context(), frame(message("last")))
			expectNext(t, told, "last")
		})
	}
}

func TestSubscribeTellsOfTheFirstGapBeforeItReturns(t *testing.T) {
	b := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t))})
	for range 100 {
		told := diary(b)
		select {
		case got := <-told:
			if got != "gap" {
				t.Fatalf("told %q, want the gap", got)
			}
		default:
			t.Fatal("told nothing yet")
		}
	}
}

func TestNoGapWhileRedisStaysAway(t *testing.T) {
	t.Parallel()
	p, address := newProxy(t)
	b := newBus(t, impatient(redisbus.Deps{Client: newClient(t, address)}))
	told := diary(b)
	expectNext(t, told, "gap")
	p.blackHole()
	eventually(t, "the subscription is lost", func() bool { return b.Stats().Replaced == 1 })
	select {
	case got := <-told:
		t.Errorf("told %q while nothing can be heard", got)
	default:
	}
	p.heal()
	expectNext(t, told, "gap")
}

// TestWatermarksDoInsteadOfProbes has a sender whose watermarks come faster than the probes would.
func TestWatermarksDoInsteadOfProbes(t *testing.T) {
	c, name := newClient(t, redistest.URL(t)), channelName()
	sender := newBus(t, redisbus.Deps{Client: c, Name: name})
	hearer := newBus(t, redisbus.Deps{
		Client: c, Name: name, ProbeInterval: 500 * time.Millisecond, Silence: 20 * time.Second,
	})
	heard := make(chan bus.Position, 1)
	hearer.Subscribe(bus.Handler{Frame: func(f bus.Frame) { heard <- f.Watermark }})
	next := listen(t, c, name)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for n := range uint64(100) { // four probe intervals
		want := bus.Position{Transaction: n + 1, Sequence: int64(n)}
		sender.Publish(t.Context(), bus.Frame{Watermark: want})
		if got := <-heard; got != want {
			t.Fatalf("heard the watermark %v, want %v", got, want)
		}
		if got := next(); got == "" {
			t.Fatal("heard a probe, although the channel is not quiet")
		}
		<-again.C
	}
}

// TestRowWithoutEncodableEventsIsHeard: its sender would announce it for ever.
func TestRowWithoutEncodableEventsIsHeard(t *testing.T) {
	b := newBus(t, redisbus.Deps{Client: newClient(t, redistest.URL(t))})
	heard := make(chan bus.Frame, 1)
	b.Subscribe(bus.Handler{Frame: func(f bus.Frame) { heard <- f }})
	row := bus.Position{Transaction: 5, Sequence: 6}
	b.Publish(t.Context(), bus.Frame{Position: row, Events: []bus.Event{message("\xff")}})
	if f := <-heard; f.Position != row || len(f.Events) != 0 {
		t.Errorf("heard %+v, want the position without an event", f)
	}
}

// TestRowOfALaterVersionIsHeard has events of a kind that is not known yet.
func TestRowOfALaterVersionIsHeard(t *testing.T) {
	c, name := newClient(t, redistest.URL(t)), channelName()
	b := newBus(t, redisbus.Deps{Client: c, Name: name})
	heard := make(chan bus.Frame, 1)
	b.Subscribe(bus.Handler{Frame: func(f bus.Frame) { heard <- f }})
	encoded, err := proto.Marshal(&eventv1.Frame{
		Position: &eventv1.Position{Transaction: 5, Sequence: 6}, Part: 3,
		Events: []*eventv1.Event{{Kind: 99, Username: "alice", Id: "x"}},
	})
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	if err := c.Publish(t.Context(), name+":events", encoded).Err(); err != nil {
		t.Fatalf("publish: %v", err)
	}
	if f := <-heard; f.Position != (bus.Position{Transaction: 5, Sequence: 6}) || f.Part != 3 || len(f.Events) != 0 {
		t.Errorf("heard %+v, want the position and part without an event", f)
	}
}
