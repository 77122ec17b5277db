package membus_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/bustest"
	"example.com/hub/pkg/bus/membus"
)

func TestBus(t *testing.T) {
	bustest.Run(t, func(t *testing.T) (bus.Publisher, bus.Subscriber) {
		b := membus.New()
		t.Cleanup(func() {
			if err := b.Close(context.WithoutCancel(t.Context())); err != nil {
				t.Errorf("close: %v", err)
			}
		})
		return b, b
	})
}

// frame is as large as the whole queue.
func frame() []bus.Event { return make([]bus.Event, 100_000) }

func TestPublishWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := membus.New()
		release := make(chan struct{})
		heard := 0
		b.Subscribe(func(events []bus.Event) {
			<-release
			heard += len(events)
		})
		b.Publish(t.Context(), frame()) // with the subscriber
		synctest.Wait()
		b.Publish(t.Context(), frame()) // fills the queue
		third := make(chan struct{})
		go func() {
			defer close(third)
			b.Publish(t.Context(), frame())
		}()
		synctest.Wait()
		select {
		case <-third:
			t.Fatal("a publication was taken although the queue is full")
		default:
		}

		close(release)
		<-third
		if err := b.Close(t.Context()); err != nil {
			t.Fatalf("close: %v", err)
		}
		if want := 3 * len(frame()); heard != want {
			t.Errorf("heard %d events, want %d", heard, want)
		}
	})
}

func TestCloseDeliversWhatIsQueued(t *testing.T) {
	b := membus.New()
	heard := 0
	b.Subscribe(func(events []bus.Event) { heard += len(events) })
	for range 100 {
		b.Publish(t.Context(), make([]bus.Event, 3))
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
	b.Publish(t.Context(), make([]bus.Event, 3))
	if heard != 300 {
		t.Errorf("heard %d events, want the 300 from before Close", heard)
	}
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := membus.New()
		release := make(chan struct{})
		b.Subscribe(func([]bus.Event) { <-release })
		b.Publish(t.Context(), make([]bus.Event, 1))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Close(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("close = %v, want %v", err, context.Canceled)
		}
		close(release)
		if err := b.Close(t.Context()); err != nil {
			t.Errorf("second close: %v", err)
		}
	})
}

func TestCloseReleasesWaitingPublishers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := membus.New()
		release := make(chan struct{})
		b.Subscribe(func([]bus.Event) { <-release })
		b.Publish(t.Context(), frame())
		synctest.Wait()
		b.Publish(t.Context(), frame())
		waiting := make(chan struct{})
		go func() {
			defer close(waiting)
			b.Publish(t.Context(), frame())
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = b.Close(ctx)
		<-waiting
		close(release)
	})
}
