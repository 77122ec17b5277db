package postgres_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/redisbus"
	"example.com/hub/pkg/redis/redistest"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/outbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// fast are the times of an outbox whose test has no patience.
var fast = outbox.Deps{Interval: 50 * time.Millisecond, Lease: 200 * time.Millisecond, Patience: 100 * time.Millisecond}

// run starts an outbox until kill or the end of the test. After kill, its lease goes on.
func run(t testing.TB, log outbox.Log, b *redisbus.Bus, times outbox.Deps) (o *outbox.Outbox, kill func()) {
	t.Helper()
	alive, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	times.Log, times.Publisher, times.Subscriber = mortal{log, alive.Err}, b, b
	times.Logger = slog.New(slog.DiscardHandler)
	o, err := outbox.New(times)
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := o.Run(alive); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	kill = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(kill)
	return o, kill
}

// mortal is the log of a process that dies without a word.
type mortal struct {
	outbox.Log
	dead func() error
}

func (m mortal) Release(ctx context.Context, holder string, settled bus.Position) error {
	if err := m.dead(); err != nil {
		return err
	}
	return m.Log.Release(ctx, holder, settled)
}

// TestCrashBeforeTheAnnouncement commits and announces nothing, as a process does that dies in
// between; another one runs with the times of production.
func TestCrashBeforeTheAnnouncement(t *testing.T) {
	t.Parallel()
	address, name := redistest.URL(t), channel()
	s := open(t, pgtest.Schema(t))
	l := listen(t, redisBus(t, address, name))
	o, _ := run(t, s, redisBus(t, address, name), outbox.Deps{})
	for _, n := range []int{1, 250, postgres.CopyFrom} {
		began := time.Now()
		frame := commit(t, s, n)
		l.hears(t, patience, wanted(frame))
		t.Logf("%d events were heard after %v", n, time.Since(began).Round(time.Millisecond))
	}
	pushed(t, s, messageTo("m1", "ann"))
	read := markRead(t, s, "m1", "ann")
	l.hears(t, patience, map[bus.Position][]bus.Event{
		read.Position: {{Kind: bus.Read, User: "ann", ID: "m1", Time: start.Add(time.Minute)}},
	})
	if swept := o.Stats().Swept; swept != 5 {
		t.Errorf("swept %d rows, want 5", swept)
	}
}

// TestSuccessorAnnouncesWhatADeadLeaderDidNot kills the leader right after a commit.
func TestSuccessorAnnouncesWhatADeadLeaderDidNot(t *testing.T) {
	t.Parallel()
	address, name := redistest.URL(t), channel()
	s := open(t, pgtest.Schema(t))
	l := listen(t, redisBus(t, address, name))
	first, kill := run(t, s, redisBus(t, address, name), outbox.Deps{})
	l.until(t, patience, "the first one leads", func() bool { return first.Stats().Leader })
	second, _ := run(t, s, redisBus(t, address, name), outbox.Deps{})

	frame := commit(t, s, 3)
	kill()
	l.hears(t, patience, wanted(frame))
	if !second.Stats().Leader {
		t.Error("it was not the successor that announced")
	}
}

// TestLateCommitIsAnnounced is the case that an order by sequence alone skips: a row is committed
// after rows behind it were announced, heard and settled as far as they can be.
func TestLateCommitIsAnnounced(t *testing.T) {
	t.Parallel()
	address, name := redistest.URL(t), channel()
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	l := listen(t, redisBus(t, address, name))
	o, _ := run(t, s, redisBus(t, address, name), fast)
	tx, late := begin(t, dsn)
	for range 3 {
		frame := commit(t, s, 2)
		if late.Compare(frame.Position) >= 0 {
			t.Fatalf("the late row %v is not before %v", late, frame.Position)
		}
		o.Publish(t.Context(), frame)
		l.hears(t, patience, wanted(frame))
		if watermark := l.nextWatermark(t); watermark.Compare(late) >= 0 {
			t.Fatalf("the watermark %v passed %v, which is not committed", watermark, late)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.until(t, patience, "the late row is heard", func() bool { return len(l.events[late]) == 1 })
	l.until(t, patience, "the watermark passes it", func() bool { return l.watermark.Compare(late) > 0 })
}

// TestLateCommitIsSkippedInTheOrderOfRows is the same without the watermark, to show that it matters.
func TestLateCommitIsSkippedInTheOrderOfRows(t *testing.T) {
	t.Parallel()
	address, name := redistest.URL(t), channel()
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	l := listen(t, redisBus(t, address, name))
	o, _ := run(t, withoutWatermark{s}, redisBus(t, address, name), fast)
	tx, late := begin(t, dsn)
	before := commit(t, s, 2)
	o.Publish(t.Context(), before)
	l.until(t, patience, "the row is settled", func() bool { return l.watermark.Compare(before.Position) > 0 })
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := commit(t, s, 2)
	l.hears(t, patience, wanted(after))
	l.until(t, patience, "the next row is settled", func() bool { return l.watermark.Compare(after.Position) > 0 })
	if n := l.heardTimes()[late]; n != 0 {
		t.Errorf("the late row was announced %d times", n)
	}
}

// withoutWatermark is a log that takes every row for final.
type withoutWatermark struct{ outbox.Log }

func (u withoutWatermark) Rows(ctx context.Context, after bus.Position, limit int) (outbox.Window, error) {
	w, err := u.Log.Rows(ctx, after, limit)
	w.Watermark = after
	if n := len(w.Rows); n > 0 {
		w.Watermark = bus.Position{Transaction: w.Rows[n-1].Position.Transaction + 1}
	}
	return w, err
}

// TestHeardRowsAreNotAnnouncedAgain sweeps many times over rows that were announced, which a transaction before
// them keeps from being settled until they are older than the patience of the sweep. That is longer than a busy
// machine needs to hear of them.
func TestHeardRowsAreNotAnnouncedAgain(t *testing.T) {
	t.Parallel()
	address, name := redistest.URL(t), channel()
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	l := listen(t, redisBus(t, address, name))
	times := fast
	times.Patience = 3 * time.Second
	o, _ := run(t, s, redisBus(t, address, name), times)
	before, _ := begin(t, dsn)
	var frames []bus.Frame
	for i := range 50 {
		frames = append(frames, commit(t, s, 1+i*5))
		o.Publish(t.Context(), frames[i])
	}
	last, committed := frames[len(frames)-1].Position, time.Now()
	l.hears(t, patience, wanted(frames...))
	for time.Since(committed) < times.Patience+time.Second {
		l.nextWatermark(t) // each is of a sweep
	}
	if err := before.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.until(t, patience, "all rows are settled", func() bool { return l.watermark.Compare(last) > 0 })
	for p, n := range l.heardTimes() {
		if n != 1 {
			t.Errorf("%v was heard %d times", p, n)
		}
	}
	if s := o.Stats(); s.Swept != 0 || s.Repeated != 0 || s.Announced != 50 {
		t.Errorf("stats %+v, want 50 announced and none swept", s)
	}
}

// TestRestoredCluster starts with the position of a server that was far ahead.
func TestRestoredCluster(t *testing.T) {
	t.Parallel()
	address, name := redistest.URL(t), channel()
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	if _, err := pgtest.Connect(t, dsn).Exec(t.Context(), `UPDATE event_sweep SET xid = '1099511627776'`); err != nil {
		t.Fatal(err)
	}
	l := listen(t, redisBus(t, address, name))
	run(t, s, redisBus(t, address, name), fast)
	frame := commit(t, s, 3)
	l.hears(t, patience, wanted(frame))
	l.until(t, patience, "the watermark is one of this server", func() bool {
		return l.watermark.Compare(frame.Position) > 0 && l.watermark.Transaction < 1<<40
	})
}

// TestRedisOutage cuts the outbox off from Redis for a while. The listener hears all along.
func TestRedisOutage(t *testing.T) {
	t.Parallel()
	name := channel()
	s := open(t, pgtest.Schema(t))
	gate, through := newGate(t, redistest.URL(t))
	l := listen(t, redisBus(t, redistest.URL(t), name))
	b := redisBus(t, through, name)
	o, _ := run(t, s, b, fast)
	l.until(t, patience, "a watermark is heard", func() bool { return !l.watermark.IsZero() })

	gate.close()
	var frames []bus.Frame
	for range 300 {
		frame := commit(t, s, 10)
		o.Publish(t.Context(), frame)
		frames = append(frames, frame)
	}
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for s := b.Stats(); s.Dropped < 3000; s = b.Stats() {
		if s.Published > 0 {
			t.Fatalf("the gate is not closed: %+v", s)
		}
		<-again.C
	}
	gate.open()
	l.hears(t, patience, wanted(frames...))
	l.until(t, patience, "all rows are settled", func() bool { return l.watermark.Compare(frames[299].Position) > 0 })
}
