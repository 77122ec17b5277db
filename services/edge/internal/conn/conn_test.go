package conn_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"example.com/hub/services/edge/internal/conn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// started makes a Conn over a pipe, whose client has to read each byte, and has it begun.
func started(t *testing.T, from uint64) (c *conn.Conn, client net.Conn, slow *atomic.Uint64) {
	t.Helper()
	client, far := net.Pipe()
	slow = &atomic.Uint64{}
	c = conn.New(far, slow)
	if !c.Start([]byte("head."), from, func() bool { return true }) {
		t.Fatal("the connection is not started")
	}
	return c, client, slow
}

// pieces is a backlog.
type pieces struct {
	left []string
	live uint64
	gone bool // after what is left
}

func (p *pieces) Next() (piece []byte, live uint64, ok bool) {
	if len(p.left) == 0 {
		return nil, p.live, !p.gone
	}
	piece, p.left = []byte(p.left[0]), p.left[1:]
	return piece, 0, true
}

func TestBacklogComesBeforeLiveFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, client, _ := started(t, conn.Held)
		if c.Send([]byte("held."), 7) {
			t.Error("a live frame is taken before the backlog")
		}
		c.Follow(&pieces{left: []string{"a.", "b."}, live: 9})
		got := make([]byte, len("head.a.b."))
		if _, err := io.ReadFull(client, got); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if c.Send([]byte("replayed."), 8) {
			t.Error("a frame is taken that the backlog had")
		}
		if !c.Send([]byte("live."), 9) {
			t.Error("a frame behind the backlog is not taken")
		}
		var ended atomic.Uint64
		c.End([]byte("last"), &ended)
		c.End([]byte("more"), &ended)
		rest, err := io.ReadAll(client)
		if all := string(got) + string(rest); err != nil || all != "head.a.b.live.last" || ended.Load() != 1 {
			t.Errorf("the client read %q, %v, and %d ends were counted", all, err, ended.Load())
		}
	})
}

func TestBacklogThatIsGoneEndsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, client, slow := started(t, conn.Held)
		c.Follow(&pieces{left: []string{"a."}, gone: true})
		got, err := io.ReadAll(client)
		if string(got) != "head.a." || err != nil || c.Open() || slow.Load() != 1 {
			t.Errorf("the client read %q, %v; open is %v, slow %d", got, err, c.Open(), slow.Load())
		}
	})
}

func TestWhatIsFoundBeforeTheHeadWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, far := net.Pipe()
		c := conn.New(far, &atomic.Uint64{})
		c.Start([]byte("head."), 0, func() bool {
			go c.Send([]byte("early."), 0)
			return true
		})
		synctest.Wait()
		c.End([]byte("last"), nil)
		if got, err := io.ReadAll(client); string(got) != "head.early.last" || err != nil {
			t.Errorf("the client read %q, %v", got, err)
		}
	})
}

func TestHeartbeatsAreLeftOutWhileSomethingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, client, _ := started(t, 0)
		c.Beat([]byte("beat."))
		if _, err := io.ReadFull(client, make([]byte, len("head."))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.Beat([]byte("beat."))
		c.End([]byte("last"), nil)
		if got, err := io.ReadAll(client); string(got) != "beat.last" || err != nil {
			t.Errorf("the client read %q, %v", got, err)
		}
	})
}

func TestRefusalIsAllThatTheClientGets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, far := net.Pipe()
		c := conn.New(far, &atomic.Uint64{})
		if c.Start([]byte("head."), 0, func() bool { return false }) {
			t.Fatal("the connection is started")
		}
		go c.Refuse([]byte("no"))
		if got, err := io.ReadAll(client); string(got) != "no" || err != nil {
			t.Errorf("the client read %q, %v", got, err)
		}
	})
}

func TestFramesNeverWaitForTheirClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, slow := started(t, 0) // the head takes the first of the 64 places
		for n := range 63 {
			if !c.Send([]byte(fmt.Sprint(n)), 0) {
				t.Fatalf("frame %d is not taken", n)
			}
		}
		if n := c.Queued(); n != 64 {
			t.Errorf("%d frames wait, want 64", n)
		}
		if c.Send([]byte("one too many"), 0) || slow.Load() != 1 || c.Open() {
			t.Errorf("slow is %d and open %v after a frame too many", slow.Load(), c.Open())
		}
		synctest.Wait()
	})
}

func TestFewBytesWaitForTheirClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, slow := started(t, 0)
		if c.Send([]byte(strings.Repeat("x", 64<<10+1)), 0) || slow.Load() != 1 {
			t.Errorf("a frame of more than 64 KiB waits, slow is %d", slow.Load())
		}
		synctest.Wait()
	})
}

// lastDeadline remembers the write deadline that was set last.
type lastDeadline struct {
	net.Conn
	last atomic.Pointer[time.Time]
}

func (c *lastDeadline) SetWriteDeadline(at time.Time) error {
	c.last.Store(&at)
	return c.Conn.SetWriteDeadline(at)
}

func TestWriteTimeoutEndsWithTheWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		deadline := &lastDeadline{Conn: far}
		c := conn.New(deadline, &atomic.Uint64{})
		c.Start([]byte("head."), 0, func() bool { return true })
		synctest.Wait()
		if at := deadline.last.Load(); at == nil || !at.Equal(time.Now().Add(5*time.Second)) {
			t.Errorf("write deadline while the client takes its time = %v, want in 5 s", at)
		}
		if _, err := io.ReadFull(near, make([]byte, len("head."))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if at := deadline.last.Load(); !at.IsZero() {
			t.Errorf("write deadline when nothing waits = %v, want none: it would end the next attempt", at)
		}
		c.Close()
	})
}

// TestSlowClientIsToldWhy has a client that reads again before its time is over.
func TestSlowClientIsToldWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, far := net.Pipe()
		var slow atomic.Uint64
		c := conn.New(far, &slow)
		c.Late([]byte("late"))
		c.Start(nil, 0, func() bool { return true })
		for c.Send([]byte("x"), 0) {
			if c.Queued() > 64 {
				t.Fatal("too many frames wait")
			}
		}
		if c.Open() || slow.Load() != 1 || c.Send([]byte("y"), 0) {
			t.Errorf("slow is %d and open %v after a frame too many", slow.Load(), c.Open())
		}
		want := strings.Repeat("x", 65) + "late"
		if got, err := io.ReadAll(client); string(got) != want || err != nil {
			t.Errorf("the client read %q, %v", got, err)
		}
		c.Wait()
	})
}

func TestEndWithoutALastFrameSendsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, client, _ := started(t, 0)
		c.End(nil, nil)
		if got, err := io.ReadAll(client); string(got) != "head." || err != nil {
			t.Errorf("the client read %q, %v", got, err)
		}
	})
}
