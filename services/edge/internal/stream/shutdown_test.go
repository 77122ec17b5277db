package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/stream"
)

func TestShutdownSendsEveryClientAway(t *testing.T) {
	e := newEdge(t, stream.Deps{})
	var clients []*client
	for i := range 20 {
		clients = append(clients, e.open(t, fmt.Sprint("user-", i)))
	}
	e.bus.publish(message("user-7", "last"))
	if err := e.Shutdown(t.Context()); err != nil {
		t.Fatalf("shutdown: %v", err)
	}
	if s := e.Stats(); s.Open != 0 {
		t.Errorf("%d streams are open after Shutdown", s.Open)
	}
	clients[7].expect(t, "message", "last")
	for _, c := range clients {
		c.expectEnd(t, time.Second, 5*time.Second)
	}

	late := e.dial(t, "late")
	late.readHead(t)
	late.expectEnd(t, time.Second, 5*time.Second)
	if e.bus.heard() {
		t.Error("the broker still hears events after Shutdown")
	}
	if s := e.Stats(); s.Open != 0 || s.Refused != 1 || s.Delivered != 1 {
		t.Errorf("stats = %+v, want the late client refused", s)
	}
}

func TestShutdownIsSpreadOverItsWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, bus := newBroker(t, stream.Deps{DrainSpread: 10 * time.Second})
		start := time.Now()
		ends := make(chan time.Duration, 10)
		for i := range 10 {
			c := pipe(t, b, fmt.Sprint("user-", i))
			go func() {
				_, _ = io.Copy(io.Discard, c)
				ends <- time.Since(start)
			}()
		}
		synctest.Wait()
		go func() {
			pass(5500 * time.Millisecond)
			for i := range 10 {
				bus.publish(message(fmt.Sprint("user-", i), "during the drain"))
			}
		}()
		if err := b.Shutdown(t.Context()); err != nil {
			t.Fatalf("shutdown: %v", err)
		}
		synctest.Wait()
		var got, want []time.Duration
		for i := range 10 {
			got = append(got, <-ends)
			want = append(want, time.Duration(i)*time.Second)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ends of the streams (-want +got):\n%s", diff)
		}
		if n := b.Stats().Delivered; n != 4 {
			t.Errorf("delivered %d events after 5.5 of 10 s, want 4", n)
		}
	})
}

func TestShutdownEndsWithItsContext(t *testing.T) {
	tests := map[string]time.Duration{"while it closes streams": time.Hour, "while clients take their time": 0}
	for name, spread := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, _ := newBroker(t, stream.Deps{DrainSpread: spread})
				for i := range 10 {
					pipe(t, b, fmt.Sprint("never reads ", i))
				}
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := b.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("shutdown = %v, want %v", err, context.DeadlineExceeded)
				}
				synctest.Wait()
				if n, d := b.Stats().Open, time.Since(start); n != 0 || d != time.Second {
					t.Errorf("%d streams are open after %v, want none after 1s", n, d)
				}
			})
		})
	}
}
