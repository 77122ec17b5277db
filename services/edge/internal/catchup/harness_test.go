package catchup_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/catchup"
	"example.com/hub/services/edge/internal/stream"
)

// line is a bus with one subscriber, which the tests cut.
type line struct {
	mu      sync.Mutex
	handler bus.Handler
	cut     bool
}

func (l *line) Subscribe(h bus.Handler) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handler = h
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.handler = bus.Handler{}
	}
}

func (l *line) publish(f bus.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handler.Frame != nil && !l.cut {
		l.handler.Frame(f)
	}
}

// setCut cuts the line, or mends it, of which the subscriber is told.
func (l *line) setCut(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	if !cut && l.handler.Gap != nil {
		l.handler.Gap()
	}
}

// rows is an event log whose rows are committed in the order of their positions, except for those
// that a test commits late.
type rows struct {
	mu        sync.Mutex
	frames    []bus.Frame
	watermark uint64 // no row of an earlier transaction comes any more
	err       error
	size      int                 // frames of an answer; 0 is all
	asked     []bus.Position      // of the calls
	recent    []time.Duration     // of the calls without a position
	before    func(call int)      // runs before a call is answered
	page      func() catchup.Page // instead of the log's answer
}

func (r *rows) Events(_ context.Context, after bus.Position, recent time.Duration) (catchup.Page, error) {
	r.mu.Lock()
	before, call := r.before, len(r.asked)
	r.asked = append(r.asked, after)
	if after.IsZero() {
		r.recent = append(r.recent, recent)
	}
	r.mu.Unlock()
	if before != nil {
		before(call)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return catchup.Page{}, r.err
	}
	if r.page != nil {
		return r.page(), nil
	}
	p := catchup.Page{Watermark: bus.Position{Transaction: r.watermark}}
	p.Next = p.Watermark
	for _, f := range r.frames {
		if f.Position.Compare(after) <= 0 {
			continue
		}
		if r.size > 0 && len(p.Frames) == r.size {
			p.More = true
			break
		}
		p.Frames = append(p.Frames, f)
		p.Next = f.Position
	}
	if !p.More {
		p.Next = p.Watermark
	}
	return p, nil
}

func (r *rows) set(change func(*rows)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
}

// commit adds rows with one event each, of the user "u" and the transaction's number as id.
func (r *rows) commit(transactions ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range transactions {
		f := row(n)
		i, _ := slices.BinarySearchFunc(r.frames, f, func(a, b bus.Frame) int { return a.Position.Compare(b.Position) })
		r.frames = slices.Insert(r.frames, i, f)
	}
}

func position(n int) bus.Position {
	return bus.Position{Transaction: uint64(n), Sequence: 1}
}

func row(n int) bus.Frame {
	return bus.Frame{Position: position(n), Events: []bus.Event{{Kind: bus.Message, User: "u", ID: fmt.Sprint(n)}}}
}

func watermark(n int) bus.Frame { return bus.Frame{Watermark: bus.Position{Transaction: uint64(n)}} }

// diary is what the feed tells: ids, late ones with a star, and those that are not for all streams with
// the epochs from and before which they are, and "gap", "whole" and "lost".
type diary struct {
	mu    sync.Mutex
	lines []string
	looks int // how often todos may have been missed
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

// take gives what came since the last time, when nothing more is to come.
func (d *diary) take() []string {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

func (d *diary) handler() stream.Handler {
	return stream.Handler{
		Frame: func(f bus.Frame, a stream.Arrival) {
			for _, e := range f.Events {
				if a.Late {
					e.ID += "*"
				}
				if a.From > 0 {
					e.ID += fmt.Sprint(" from ", a.From)
				}
				if a.To < stream.Forever {
					e.ID += fmt.Sprint(" before ", a.To)
				}
				d.note(e.ID)
			}
		},
		Gap:   func(uint32) { d.note("gap") },
		Whole: func() { d.note("whole") },
		Lost:  func() { d.note("lost") },
		LookAgain: func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.looks++
		},
	}
}

// takeLooks gives how often todos may have been missed since the last time.
func (d *diary) takeLooks() int {
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	looks := d.looks
	d.looks = 0
	return looks
}

const window = time.Minute

// start makes a feed that runs until the test is over. With a log it begins whole.
func start(t *testing.T, log catchup.Log) (*catchup.Feed, *line, *diary) {
	t.Helper()
	l, d := &line{}, &diary{}
	f, err := catchup.New(catchup.Deps{Bus: l, Log: log, Recent: window, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("new feed: %v", err)
	}
	cancel := f.Subscribe(d.handler())
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		cancel()
	})
	return f, l, d
}

// pass lets the fake clock move on.
func pass(d time.Duration) { <-time.After(d) }
