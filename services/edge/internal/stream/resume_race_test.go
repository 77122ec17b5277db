package stream_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/stream"
)

// ahead is how many events may be on their way to a client beyond the newest one that it has read. A
// stream queues 64 whatever the kernel takes, so that no client is ever slow, however seldom it runs.
const ahead = 60

// readers tells publishers how far the clients have read.
type readers struct {
	newest []atomic.Int64
	moved  chan struct{} // capacity 1
}

func (r *readers) read(u, n int) {
	if int64(n) > r.newest[u].Load() {
		r.newest[u].Store(int64(n))
		select {
		case r.moved <- struct{}{}:
		default:
		}
	}
}

// TestNothingIsLostOrRepeatedBetweenReplayAndLive has clients that come and go while events come in
// as fast as they read. Every client counts on from where it left off, or from somewhat earlier, so that
// replays are long.
func TestNothingIsLostOrRepeatedBetweenReplayAndLive(t *testing.T) {
	const users, events = 8, 4_000
	e := newEdge(t, stream.Deps{ResumeMemory: 64 << 20})
	progress := &readers{newest: make([]atomic.Int64, users), moved: make(chan struct{}, 1)}
	var first []bus.Event
	for u := range users {
		first = append(first, message(fmt.Sprint("user-", u), "0"))
	}
	e.bus.publish(first...)
	var busy sync.WaitGroup
	busy.Go(func() { publishAhead(e, progress, events) })
	for u := range users {
		busy.Go(func() {
			defer progress.read(u, events) // even if a check has ended it
			for seen := 0; seen < events; {
				from := max(0, seen-rand.N(500))
				seen = follow(t, e, u, from, min(seen+1+rand.N(300), events), progress)
			}
		})
	}
	busy.Wait()
	if s := e.Stats(); s.Unknown > 0 || s.SlowClosed > 0 {
		t.Errorf("stats = %+v, want every id known and nobody slow", s)
	}
}

// publishAhead publishes the events of each user up to the last one, never too far ahead of the client.
func publishAhead(e *edge, progress *readers, last int) {
	sent := make([]int, len(progress.newest))
	for left := true; left; {
		left = false
		var frame []bus.Event
		for u := range sent {
			limit := min(int(progress.newest[u].Load())+ahead, last)
			for n := min(1+rand.N(20), limit-sent[u]); n > 0; n-- {
				sent[u]++
				frame = append(frame, message(fmt.Sprint("user-", u), strconv.Itoa(sent[u])))
			}
			left = left || sent[u] < last
		}
		if len(frame) > 0 {
			e.bus.publish(frame...)
		} else if left {
			<-progress.moved
		}
	}
}

// follow reads a user's numbers from seen on up to last, breaks the connection, and gives the last
// number that came.
func follow(t *testing.T, e *edge, u, seen, last int, progress *readers) int {
	user := fmt.Sprint("user-", u)
	conn, err := e.reach()
	if err != nil {
		t.Errorf("dial: %v", err)
		return last
	}
	defer func() { _ = conn.Close() }()
	c := ask(t, conn, user, "\nLast-Event-ID: "+strconv.Itoa(seen)+"\r\n")
	c.readHead(t)
	c.line(t)
	for seen < last {
		f := c.frame(t)
		if len(f.Events) != 1 || f.Events[0].LastEventID != strconv.Itoa(seen+1) {
			t.Errorf("%s heard %+v after %d", user, f.Events, seen)
			return last
		}
		seen++
		progress.read(u, seen)
	}
	return seen
}

// TestLongReplayWaitsForItsClient resumes before far more than the queue of a stream holds.
func TestLongReplayWaitsForItsClient(t *testing.T) {
	const events = 20_000
	e := newEdge(t, stream.Deps{ResumeMemory: 64 << 20})
	var frame []bus.Event
	var want []string
	for n := range events {
		frame = append(frame, message("alice", strconv.Itoa(n)))
		want = append(want, strconv.Itoa(n))
	}
	e.bus.publish(frame...)
	c := e.resume(t, "alice", "0")
	if n := stream.Queued(e.Broker, "alice"); n > 1 {
		t.Errorf("%d pieces of the replay wait for the client, want one at a time", n)
	}
	e.bus.publish(message("alice", "live"))
	c.expect(t, "message", want[1:]...)
	c.expect(t, "message", "live")
	c.sentinel(t, e, "alice")
}

func TestClientThatLetsItsReplayBeDroppedIsClosed(t *testing.T) {
	e := newEdge(t, stream.Deps{ResumeMemory: 1 << 20})
	var frame []bus.Event
	for n := range 10_000 {
		frame = append(frame, message("alice", strconv.Itoa(n)))
	}
	e.bus.publish(frame...)
	c := e.resume(t, "alice", "0")
	for range 3 {
		e.bus.publish(frame...)
	}
	go func() {
		for {
			if _, err := c.r.Discard(1); err != nil {
				return
			}
		}
	}()
	eventually(t, "the slow client is closed", func() bool { return e.Stats().Open == 0 })
	if s := e.Stats(); s.SlowClosed != 1 {
		t.Errorf("stats = %+v, want 1 closed as slow", s)
	}
}

// TestResumesWhileTheRingTurns has more resumes, gaps and evictions at a time than ever come together.
func TestResumesWhileTheRingTurns(t *testing.T) {
	const users, connects = 8, 60
	e := newEdge(t, stream.Deps{Inbox: newInbox(map[string]string{"user-0": "newest"}), Heartbeat: time.Millisecond})
	e.run(t)
	done := make(chan struct{})
	var busy, clients sync.WaitGroup
	busy.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			var frame []bus.Event
			for i := range 1_000 {
				frame = append(frame, message(fmt.Sprint("user-", i%users), strconv.Itoa(n*1_000+i)))
			}
			e.bus.publish(frame...)
			switch n % 50 {
			case 20:
				e.bus.gap()
			case 25:
				e.bus.publishLate(message("user-0", "late"))
				e.bus.whole()
			case 49:
				e.bus.lose()
			}
		}
	})
	for u := range users {
		clients.Go(func() {
			last := "none"
			for range connects {
				conn, err := e.reach()
				if err != nil {
					t.Errorf("dial: %v", err)
					return
				}
				c := ask(t, conn, fmt.Sprint("user-", u), "\nLast-Event-ID: "+last+"\r\n")
				for range 50 {
					line, err := c.r.ReadString('\n')
					if err != nil {
						break
					}
					if id, ok := strings.CutPrefix(strings.TrimSpace(line), "id: "); ok {
						last = id
					}
				}
				_ = conn.Close()
			}
		})
	}
	clients.Wait()
	close(done)
	busy.Wait()
	eventually(t, "all streams are gone", func() bool { return e.Stats().Open == 0 })
}
