package postgres_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"example.com/hub/pkg/bus"
	"example.com/hub/pkg/bus/membus"
	"example.com/hub/pkg/redis/redistest"
	"example.com/hub/pkg/store/pg/pgtest"
	"example.com/hub/services/messagehub/internal/outbox"
	"example.com/hub/services/messagehub/store/postgres"
)

// catchUp lists from a position to the end, and checks the order. It gives what it saw, and the watermark
// of the first answer.
func catchUp(ctx context.Context, o *outbox.Outbox, after bus.Position) (seen []bus.Frame, watermark bus.Position, answers int, err error) {
	from := after
	for {
		list, err := o.List(ctx, outbox.ListRequest{After: from})
		if err != nil {
			return nil, bus.Position{}, 0, err
		}
		if answers++; answers == 1 {
			watermark = list.Watermark
		}
		for _, f := range list.Frames {
			if n := len(seen); n > 0 {
				last := seen[n-1]
				if next := f.Position == last.Position && f.Part == last.Part+1; !next && (f.Position.Compare(last.Position) <= 0 || f.Part != 0) {
					return nil, watermark, answers, fmt.Errorf("%v part %d comes after %v part %d", f.Position, f.Part, last.Position, last.Part)
				}
			}
			seen = append(seen, f)
		}
		if !list.More {
			return seen, watermark, answers, nil
		}
		from = list.Next
	}
}

// pass is one catch-up of a listener.
type pass struct {
	next bus.Position // where the next one begins
	seen int          // parts that all passes saw until then
}

// follow lets a listener catch up from watermark to watermark, while writers commit out of order. It gives what
// was committed, what the listener saw, and its passes.
func follow(t *testing.T, s *postgres.Store, dsn string, o *outbox.Outbox) (committed, seen []bus.Frame, passes []pass) {
	t.Helper()
	const writers, changes = 6, 150
	var h history
	stop := make(chan struct{})
	var busy atomic.Int64
	busy.Store(writers)
	group, ctx := errgroup.WithContext(t.Context())
	for range 3 {
		conn := pgtest.Connect(t, dsn)
		group.Go(func() error { return linger(ctx, conn, stop, h.add) })
	}
	for w := range writers {
		group.Go(func() error {
			if err := write(ctx, s, w, changes, h.add); err != nil {
				return err
			}
			if busy.Add(-1) == 0 {
				close(stop)
			}
			return nil
		})
	}
	after := bus.Position{Transaction: 1}
	for busy.Load() > 0 && ctx.Err() == nil {
		answered, watermark, _, err := catchUp(ctx, o, after)
		if ctx.Err() != nil {
			break // a writer failed, and says why
		}
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, answered...)
		after = watermark
		passes = append(passes, pass{next: after, seen: len(seen)})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return h.frames, seen, passes
}

// lister is an outbox that announces nothing.
func lister(t *testing.T, log outbox.Log) *outbox.Outbox {
	t.Helper()
	b := membus.New()
	t.Cleanup(func() { _ = b.Close(context.WithoutCancel(t.Context())) })
	o, err := outbox.New(outbox.Deps{Log: log, Publisher: b, Subscriber: b})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestListsAreCompleteAtTheirWatermark: whatever is committed in the end before a watermark, a listener must
// have seen when it was given that watermark, without any announcement.
func TestListsAreCompleteAtTheirWatermark(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	o := lister(t, s)
	committed, seen, passes := follow(t, s, dsn, o)
	complete, _, answers, err := catchUp(t.Context(), o, bus.Position{Transaction: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows(committed), rows(complete), millis); diff != "" {
		t.Fatalf("rows (-committed +listed):\n%s", diff)
	}
	behind := 0
	for i := 0; i < len(passes); i += 1 + len(passes)/30 {
		p := passes[i]
		known := rows(seen[:p.seen])
		n := 0
		for _, f := range complete {
			if f.Position.Compare(p.next) > 0 {
				n++
			} else if len(known[f.Position]) == 0 {
				t.Fatalf("%v is below the watermark %v and was not seen by then", f.Position, p.next)
			}
		}
		for row := range known {
			if row.Compare(p.next) > 0 {
				behind++
			}
		}
		rest, _, _, err := catchUp(t.Context(), o, p.next)
		if err != nil {
			t.Fatal(err)
		}
		if len(rest) != n {
			t.Fatalf("%d parts after %v, want %d", len(rest), p.next, n)
		}
	}
	t.Logf("%d rows, %d parts, %d passes, %d times a row above the watermark", len(committed), len(complete), len(passes), behind)
	if answers < 3 || len(passes) < 5 || behind == 0 {
		t.Errorf("%d answers, %d passes, %d times a row above the watermark: too few to say much", answers, len(passes), behind)
	}
}

// TestLastRowIsNoWatermark shows why: a listener that goes on from the last row that it saw misses the one of
// a transaction that began earlier and is committed later.
func TestLastRowIsNoWatermark(t *testing.T) {
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	o := lister(t, s)
	tx, err := pgtest.Connect(t, dsn).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	late, err := writeLate(t.Context(), tx, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), s, 0, 10, func(bus.Frame) {}); err != nil {
		t.Fatal(err)
	}
	seen, watermark, _, err := catchUp(t.Context(), o, bus.Position{Transaction: 1})
	if err != nil || len(seen) == 0 {
		t.Fatalf("saw %d rows, %v", len(seen), err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		from bus.Position
		want bool
	}{
		"the last row":  {from: seen[len(seen)-1].Position, want: false},
		"the watermark": {from: watermark, want: true},
	} {
		rest, _, _, err := catchUp(t.Context(), o, tt.from)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := rows(rest)[late.Position]; got != tt.want {
			t.Errorf("that the late row comes after %s is %v, want %v", name, got, tt.want)
		}
	}
}

// TestNothingIsLost kills one sweeping process after the other, while writers announce half of what they
// commit, and some rows are committed late.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	address, name := redistest.URL(t), channel()
	dsn := pgtest.Schema(t)
	s := open(t, dsn)
	b := redisBus(t, address, name)
	l := listen(t, redisBus(t, address, name))
	var h history
	var coin atomic.Uint64
	commit := func(f bus.Frame) {
		h.add(f)
		if coin.Add(1)%2 == 0 {
			b.Publish(t.Context(), f)
		}
	}
	stop := make(chan struct{})
	group, ctx := errgroup.WithContext(t.Context())
	conn := pgtest.Connect(t, dsn)
	group.Go(func() error { return linger(ctx, conn, stop, h.add) })
	for w := range 3 {
		group.Go(func() error { return write(ctx, s, w, 200, commit) })
	}
	var swept uint64
	_, kill := run(t, s, b, fast)
	for range 10 {
		o, killNext := run(t, s, b, fast)
		l.until(t, patience, "the next one sweeps", func() bool { kill(); return o.Stats().Swept > 0 })
		swept += o.Stats().Swept
		kill = killNext
	}
	close(stop)
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	l.hears(t, patience, wanted(h.frames...))
	t.Logf("%d rows, at least %d of them swept", len(h.frames), swept)
}

// rows joins the parts of each row, without those that repeat.
func rows(frames []bus.Frame) map[bus.Position][]bus.Event {
	all := map[bus.Position][]bus.Event{}
	type key struct {
		row  bus.Position
		part int
	}
	known := map[key]bool{}
	for _, f := range frames {
		if k := (key{f.Position, f.Part}); !known[k] {
			known[k] = true
			all[f.Position] = append(all[f.Position], f.Events...)
		}
	}
	return all
}
