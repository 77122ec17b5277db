package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/messagehub/internal/outbox"
)

// fakeLog is a log in memory, with transactions that its test can keep open.
type fakeLog struct {
	mu      sync.Mutex
	rows    []entry
	next    int          // the next transaction
	open    map[int]bool // transactions under way
	holder  string
	expires time.Time
	settled bus.Position
	err     error
	trims   []outbox.TrimParams
	old     int           // rows that Trim can delete
	late    time.Duration // by how much the first of them is over its time
	perRow  time.Duration // what Trim takes for each
	deleted map[int64]bool
}

type entry struct {
	outbox.Row
	written time.Time
}

func newLog() *fakeLog {
	return &fakeLog{next: 500, open: map[int]bool{}, deleted: map[int64]bool{}}
}

func at(transaction int) bus.Position {
	return bus.Position{Transaction: uint64(transaction), Sequence: int64(transaction) + 1}
}

// begin opens a transaction.
func (l *fakeLog) begin() (transaction int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[l.next] = true
	l.next++
	return l.next - 1
}

// end ends a transaction that wrote a row with n events, or none.
func (l *fakeLog) end(transaction, n int) bus.Frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, transaction)
	if n == 0 {
		return bus.Frame{}
	}
	r := outbox.Row{Position: at(transaction), Kind: bus.Message, Events: n, Body: int64(transaction)}
	i, _ := slices.BinarySearchFunc(l.rows, r.Position, byRow)
	l.rows = slices.Insert(l.rows, i, entry{Row: r, written: time.Now()})
	return bus.Frame{Position: r.Position, Events: events(transaction, n)}
}

// commit runs a transaction with n events.
func (l *fakeLog) commit(n int) bus.Frame { return l.end(l.begin(), n) }

func byRow(e entry, p bus.Position) int { return e.Position.Compare(p) }

// watermark is below the first open transaction.
func (l *fakeLog) watermark() bus.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lockedWatermark()
}

func (l *fakeLog) lockedWatermark() bus.Position {
	first := l.next
	for transaction := range l.open {
		first = min(first, transaction)
	}
	return bus.Position{Transaction: uint64(first)}
}

func events(transaction, n int) []bus.Event {
	list := make([]bus.Event, n)
	for i := range list {
		list[i] = bus.Event{Kind: bus.Message, User: fmt.Sprint("user ", i), ID: fmt.Sprint(transaction, "-", i)}
	}
	return list
}

func (l *fakeLog) change(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *fakeLog) saved() bus.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settled
}

func (l *fakeLog) Hold(_ context.Context, p outbox.HoldParams) (outbox.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return outbox.Lease{}, l.err
	}
	if l.holder != p.Holder && time.Now().Before(l.expires) {
		return outbox.Lease{Settled: l.settled, Left: time.Until(l.expires)}, nil
	}
	if l.holder == p.Holder {
		l.settled = p.Settled
	}
	l.holder, l.expires = p.Holder, time.Now().Add(p.For)
	return outbox.Lease{Held: true, Settled: l.settled}, nil
}

func (l *fakeLog) Release(_ context.Context, holder string, settled bus.Position) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == holder {
		l.expires, l.settled = time.Time{}, settled
	}
	return l.err
}

func (l *fakeLog) Rows(_ context.Context, after bus.Position, limit int) (outbox.Window, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := outbox.Window{Watermark: l.lockedWatermark(), End: uint64(l.next)}
	i, found := slices.BinarySearchFunc(l.rows, after, byRow)
	if found {
		i++
	}
	for _, e := range l.rows[i:min(i+limit, len(l.rows))] {
		e.Age = time.Since(e.written)
		w.Rows = append(w.Rows, e.Row)
	}
	return w, l.err
}

func (l *fakeLog) Events(_ context.Context, rows []outbox.Row) ([]bus.Frame, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var frames []bus.Frame
	for _, r := range rows {
		f := bus.Frame{Position: r.Position}
		if !l.deleted[r.Body] {
			f.Events = events(int(r.Body), r.Events)
		}
		frames = append(frames, f)
	}
	return frames, l.err
}

func (l *fakeLog) Since(_ context.Context, age time.Duration) (p bus.Position, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.rows {
		if time.Since(e.written) > age {
			p = e.Position
		}
	}
	return p, l.err
}

func (l *fakeLog) Trim(_ context.Context, p outbox.TrimParams) (outbox.Trimmed, error) {
	l.mu.Lock()
	l.trims = append(l.trims, p)
	n := min(l.old, p.Limit)
	l.old -= n
	t, took, err := outbox.Trimmed{Rows: n, UpTo: p.After, Age: p.Age + l.late, Bytes: int64(l.old) * 100}, time.Duration(n)*l.perRow, l.err
	l.mu.Unlock()
	<-time.After(took)
	return t, err
}

// fakeBus hands on what it does not lose, at once.
type fakeBus struct {
	mu        sync.Mutex
	lose      func(bus.Frame) bool
	published []bus.Frame
	handlers  map[int]bus.Handler
	next      int
}

func newBus() *fakeBus {
	return &fakeBus{lose: func(bus.Frame) bool { return false }, handlers: map[int]bus.Handler{}}
}

func (b *fakeBus) Publish(_ context.Context, f bus.Frame) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.published = append(b.published, f)
	for part := range f.Split() {
		if b.lose(part) {
			continue
		}
		for _, h := range b.handlers {
			h.Frame(part)
		}
	}
}

func (b *fakeBus) Subscribe(h bus.Handler) (cancel func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.next
	b.next++
	b.handlers[n] = h
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.handlers, n)
	}
}

func (b *fakeBus) losing(lose func(bus.Frame) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lose = lose
}

// take gives the frames with events that were published since the last call, and the last watermark.
func (b *fakeBus) take() (frames []bus.Frame, watermark bus.Position) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.published {
		if len(f.Events) > 0 {
			frames = append(frames, f)
		} else {
			watermark = f.Watermark
		}
	}
	b.published = nil
	return frames, watermark
}

func everything(bus.Frame) bool { return true }
func nothing(bus.Frame) bool    { return false }

// start runs an outbox until stop, or the end of the test.
func start(t *testing.T, l outbox.Log, b *fakeBus) (o *outbox.Outbox, stop func()) {
	t.Helper()
	o, err := outbox.New(outbox.Deps{Log: l, Publisher: b, Subscriber: b, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	t.Cleanup(stop)
	synctest.Wait()
	return o, stop
}

// pass lets time pass.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func positions(frames []bus.Frame) []bus.Position {
	var list []bus.Position
	for _, f := range frames {
		list = append(list, f.Position)
	}
	return list
}

var errAway = errors.New("the database is away")
