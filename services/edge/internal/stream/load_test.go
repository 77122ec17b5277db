package stream_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/stream"
)

func TestSlowClientHoldsNobodyUp(t *testing.T) {
	const others, rounds = 200, 30
	e := newEdge(t, stream.Deps{})
	slow := e.dial(t, "slow")
	if err := slow.socket().SetReadBuffer(4 << 10); err != nil {
		t.Fatalf("set read buffer: %v", err)
	}
	eventually(t, "the slow stream is open", func() bool { return e.Stats().Open == 1 })
	clients := make([]*client, others)
	for i := range clients {
		clients[i] = e.open(t, fmt.Sprint("user-", i))
	}

	// The others are only written to while the slow one is being filled up, and read later.
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	want := make([]string, 0, rounds)
	for round := 0; round < rounds || e.Stats().SlowClosed == 0; round++ {
		if ctx.Err() != nil {
			t.Fatal("the slow client was not closed")
		}
		var frame []bus.Event
		for n := range 100 {
			frame = append(frame, message("slow", fmt.Sprintf("%d-%d", round, n)))
		}
		if round < rounds {
			want = append(want, fmt.Sprint(round))
			for i := range clients {
				frame = append(frame, message(fmt.Sprint("user-", i), want[round]))
			}
		}
		e.bus.publish(frame...)
	}
	for _, c := range clients {
		c.expect(t, "message", want...)
	}
	eventually(t, "the slow client is forgotten", func() bool { return e.Stats().Open == others })
	if n := e.Stats().SlowClosed; n != 1 {
		t.Errorf("closed %d slow clients, want 1", n)
	}
}

func TestClientThatStallsGetsEverythingInOrder(t *testing.T) {
	e := newEdge(t, stream.Deps{})
	c := e.open(t, "alice")
	var want []string
	for n := 0; n < 10_000 && stream.Queued(e.Broker, "alice") < 10; n++ {
		want = append(want, fmt.Sprint(n))
		e.bus.publish(message("alice", want[n]))
	}
	if stream.Queued(e.Broker, "alice") < 10 {
		t.Fatal("the kernel holds more than the limit on its buffer allows")
	}
	c.expect(t, "message", want...)
	eventually(t, "nothing waits", func() bool { return stream.Queued(e.Broker, "alice") == 0 })
	e.bus.publish(message("alice", "after"))
	c.expect(t, "message", "after")
}

func TestBigFramesKeepEachUsersOrder(t *testing.T) {
	const users, events = 41, 50 // not a multiple of the workers
	e := newEdge(t, stream.Deps{})
	clients := make([]*client, users)
	for i := range clients {
		clients[i] = e.open(t, fmt.Sprint("user-", i))
	}
	var want []string
	var frame []bus.Event
	for n := range events {
		want = append(want, fmt.Sprint(n))
		for i := range clients {
			frame = append(frame, message(fmt.Sprint("user-", i), want[n]))
		}
	}
	e.bus.publish(frame...)
	for _, c := range clients {
		c.expect(t, "message", want...)
	}
	if s := e.Stats(); s.Delivered != users*events || s.SlowClosed != 0 {
		t.Errorf("stats = %+v, want %d delivered and nobody closed", s, users*events)
	}
}

func TestClientsComeAndGo(t *testing.T) {
	const connects, atOnce = 5_000, 50
	e := newEdge(t, stream.Deps{})
	turns := make(chan int)
	var clients sync.WaitGroup
	for range atOnce {
		clients.Go(func() {
			for n := range turns {
				comeAndGo(t, e, n)
			}
		})
	}
	for n := range connects {
		turns <- n
		if n%10 == 0 {
			e.bus.publish(message(fmt.Sprint("user-", n), "x"))
		}
	}
	close(turns)
	clients.Wait()
	eventually(t, "all streams are gone", func() bool { return e.Stats().Open == 0 })
}

// comeAndGo opens a stream, some of them of the same user, and leaves: early, or after the head.
func comeAndGo(t *testing.T, e *edge, n int) {
	conn, err := e.reach()
	if err != nil {
		t.Errorf("dial: %v", err)
		return
	}
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn, "GET /?user=user-%d HTTP/1.1\r\nHost: hub\r\n\r\n", n/3); err != nil {
		t.Errorf("ask for a stream: %v", err)
		return
	}
	if n%4 == 0 {
		return
	}
	if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 200 OK\r\n"))); err != nil {
		t.Errorf("read the status line: %v", err)
	}
}

func TestEverythingAtOnce(t *testing.T) {
	const users, each = 8, 20
	e := newEdge(t, stream.Deps{Heartbeat: 100_000}) // 0.1 ms
	ctx, stop := context.WithCancel(t.Context())
	var busy sync.WaitGroup
	busy.Go(func() { _ = e.Run(ctx) })
	busy.Go(func() {
		for ctx.Err() == nil {
			var frame []bus.Event
			for n := range 100 {
				frame = append(frame, message(fmt.Sprint("user-", n%users), "x"))
			}
			e.bus.publish(frame...)
		}
	})
	var clients sync.WaitGroup
	for u := range 2 * users {
		clients.Go(func() {
			for range each {
				conn, err := e.reach()
				if err != nil {
					t.Errorf("dial: %v", err)
					return
				}
				_, _ = fmt.Fprintf(conn, "GET /?user=user-%d HTTP/1.1\r\nHost: hub\r\n\r\n", u%users)
				_, _ = io.CopyN(io.Discard, conn, 4<<10) // ends early when it is replaced
				_ = conn.Close()
			}
		})
	}
	clients.Wait()
	stop()
	busy.Wait()
	eventually(t, "all streams are gone", func() bool { return e.Stats().Open == 0 })
}
