package stream_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/services/edge/internal/sse/ssetest"
	"example.com/hub/services/edge/internal/stream"
)

// pass lets the fake clock move on.
func pass(d time.Duration) { <-time.After(d) }

// readAll gives the body of all that arrives until the stream ends or the clock has to move on.
func readAll(t *testing.T, c net.Conn) string {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(time.Nanosecond)); err != nil {
		t.Fatalf("set deadline: %v", err)
	}
	got, _ := io.ReadAll(c)
	return bodyOf(string(got))
}

func TestHeartbeatsGoToAllAtTheirInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newBroker(t, stream.Deps{Heartbeat: 15 * time.Second})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- b.Run(ctx) }()
		start := time.Now()
		var clients []net.Conn
		for i := range 100 {
			clients = append(clients, pipe(t, b, fmt.Sprint("user-", i)))
			readAll(t, clients[i])
		}
		for n := 1; n <= 3; n++ {
			due := start.Add(time.Duration(n) * 15 * time.Second)
			pass(time.Until(due) - time.Millisecond)
			if got := readAll(t, clients[0]); got != "" {
				t.Fatalf("heard %q before the heartbeat was due", got)
			}
			pass(time.Until(due))
			want := fmt.Sprintf("event: heartbeat\ndata: {\"type\":\"heartbeat\",\"id\":null,\"ts\":%d}\n\n", due.UnixMilli())
			for i, c := range clients {
				if got := readAll(t, c); got != want {
					t.Fatalf("client %d heard %q, want %q", i, got, want)
				}
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if err := b.Shutdown(ctx); err == nil {
			t.Error("shutdown waited for clients although its context had ended")
		}
	})
}

func TestClientThatReadsNothingIsClosedAfterTheWriteTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, bus := newBroker(t, stream.Deps{})
		c := pipe(t, b, "alice")
		bus.publish(message("alice", "1"))
		synctest.Wait()
		pass(5*time.Second - 1)
		if s := b.Stats(); s.Open != 1 || s.SlowClosed != 0 {
			t.Errorf("stats before the timeout = %+v", s)
		}
		pass(1)
		synctest.Wait()
		if s := b.Stats(); s.Open != 0 || s.SlowClosed != 1 {
			t.Errorf("stats after the timeout = %+v, want the stream closed as slow", s)
		}
		if got, err := io.ReadAll(c); len(got) > 0 || err != nil {
			t.Errorf("the closed stream still sends %q, %v", got, err)
		}
	})
}

func TestFullQueueClosesTheClientAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, bus := newBroker(t, stream.Deps{})
		pipe(t, b, "alice") // the head takes the first of the 64 places
		for i := range 63 {
			bus.publish(message("alice", fmt.Sprint(i)))
		}
		if s := b.Stats(); s.SlowClosed != 0 || s.Delivered != 63 {
			t.Errorf("stats with a full queue = %+v, want all 63 events queued", s)
		}
		bus.publish(message("alice", "one too many"), message("alice", "and one after the end"))
		synctest.Wait()
		if s := b.Stats(); s.Open != 0 || s.SlowClosed != 1 || s.Delivered != 63 {
			t.Errorf("stats = %+v, want the stream closed as slow", s)
		}
	})
}

func TestClientThatReadsInTimeGetsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, bus := newBroker(t, stream.Deps{Heartbeat: time.Second})
		ctx, stop := context.WithCancel(t.Context())
		go func() { _ = b.Run(ctx) }()
		c := pipe(t, b, "alice")
		for i := range 50 {
			bus.publish(message("alice", fmt.Sprint(i)))
		}
		pass(4500 * time.Millisecond) // four heartbeats find the queue not empty
		got := ssetest.Parse(readAll(t, c))
		if len(got.Events) != 50 || got.Events[0].LastEventID != "0" || got.Events[49].LastEventID != "49" {
			t.Errorf("heard %d events, want the 50 messages and no heartbeat among them", len(got.Events))
		}
		pass(time.Second)
		if got := ssetest.Parse(readAll(t, c)); len(got.Events) != 1 || got.Events[0].Type != "heartbeat" {
			t.Errorf("heard %+v once nothing waits, want a heartbeat", got.Events)
		}
		stop()
		_ = c.Close()
		synctest.Wait()
		if n := b.Stats().Open; n != 0 {
			t.Errorf("%d streams are open after the client left", n)
		}
	})
}

func TestReplacedStreamGetsWhatWaitsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, bus := newBroker(t, stream.Deps{})
		first := pipe(t, b, "alice")
		bus.publish(message("alice", "1"))
		second := pipe(t, b, "alice")
		bus.publish(message("alice", "2"))
		old := readAll(t, first)
		if got := ssetest.Parse(old); !cmp.Equal(idsIn(old), []string{"1"}) || got.Retry == "3000" {
			t.Errorf("the replaced client heard %q, want event 1 and a longer retry", old)
		}
		if got := ssetest.Parse(readAll(t, second)); len(got.Events) != 1 || got.Events[0].LastEventID != "2" {
			t.Errorf("the new client heard %+v, want event 2", got.Events)
		}
		_ = second.Close()
	})
}
