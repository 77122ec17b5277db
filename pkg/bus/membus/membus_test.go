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

// size is that of the whole queue.
const size = 100_000

func frame(n int) bus.Frame { return bus.Frame{Events: make([]bus.Event, n)} }

// count subscribes a handler that waits for release, if there is one, and counts events.
func count(b *membus.Bus, release <-chan struct{}) (heard *int) {
	heard = new(int)
	b.Subscribe(bus.Handler{Frame: func(f bus.Frame) {
		if release != nil {
			<-release
		}
		*heard += len(f.Events)
	}})
	return heard
}

func TestPublishWaitsWhileTheQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := membus.New()
		release := make(chan struct{})
		heard := count(b, release)
		b.Publish(t.Context(), frame(size)) // with the subscriber
		synctest.Wait()
		b.Publish(t.Context(), frame(size)) // fills the queue
		third := make(chan struct{})
		go func() {
			defer close(third)
			b.Publish(t.Context(), frame(size))
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
		if want := 3 * size; *heard != want {
			t.Errorf("heard %d events, want %d", *heard, want)
		}
	})
}

func TestWatermarksFillTheQueueToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := membus.New()
		release := make(chan struct{})
		count(b, release)
		b.Publish(t.Context(), frame(1)) // with the subscriber
		synctest.Wait()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range size + 1 {
				b.Publish(t.Context(), bus.Frame{Watermark: bus.Position{Transaction: 1}})
			}
		}()
		synctest.Wait()
		select {
		case <-done:
			t.Error("more watermarks were taken than the queue holds")
		default:
		}
		close(release)
		<-done
		if err := b.Close(t.Context()); err != nil {
			t.Fatalf("close: %v", err)
		}
	})
}

func TestNothingIsMissed(t *testing.T) {
	b := membus.New()
	b.Subscribe(bus.Handler{Frame: func(bus.Frame) {}, Gap: func() { t.Error("a gap, on a bus that loses nothing") }})
	b.Publish(t.Context(), frame(1))
	if err := b.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func TestCloseDeliversWhatIsQueued(t *testing.T) {
	b := membus.New()
	heard := count(b, nil)
	for range 100 {
		b.Publish(t.Context(), frame(3))
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatalf("close: %v", err)
	}
	b.Publish(t.Context(), frame(3))
	if *heard != 300 {
		t.Errorf("heard %d events, want the 300 from before Close", *heard)
	}
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := membus.New()
		release := make(chan struct{})
		count(b, release)
		b.Publish(t.Context(), frame(1))
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
		count(b, release)
		b.Publish(t.Context(), frame(size))
		synctest.Wait()
		b.Publish(t.Context(), frame(size))
		waiting := make(chan struct{})
		go func() {
			defer close(waiting)
			b.Publish(t.Context(), frame(size))
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = b.Close(ctx)
		<-waiting
		close(release)
	})
}
