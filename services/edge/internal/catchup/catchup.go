// Package catchup brings an edge every event of the bus once, and makes up from messagehub's event
// log for what the bus did not bring.
//
// A bus between machines loses events at every break of its subscription. After one, a Feed lists
// the rows after the last position that it is sure of, for the streams that were there before. Events of
// todos are in no log: of these a Feed tells that some may have been missed. No clock
// is involved: rows are known by their positions, and a frame that a stream has already is left out.
package catchup

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/stream"
)

// Log is messagehub's event log.
type Log interface {
	// Events gives frames of committed rows after a position, in the order of positions. Without a
	// position, or with one that the database has not reached, it gives the rows of the recent time.
	// The error is ErrNoLog when there is no log and never will be, and ErrRefused when this edge may not
	// read it.
	Events(ctx context.Context, after bus.Position, recent time.Duration) (Page, error)
}

// ErrNoLog says that messagehub keeps no event log, so that nothing can be made up for.
var ErrNoLog = errors.New("no event log")

// ErrRefused says that messagehub does not take this edge for one of Hub's own. Asking again does not
// help until somebody changes the key or the certificates, on either side.
var ErrRefused = errors.New("messagehub refuses this edge")

// Page is a part of the log.
type Page struct {
	Frames []bus.Frame
	// Next is where to go on when there is More.
	Next bus.Position
	// More tells whether further rows follow.
	More bool
	// Watermark is the low watermark of the log: no row will be committed below it any more.
	Watermark bus.Position
}

// Deps is what a Feed is made of.
type Deps struct {
	// Bus is required.
	Bus bus.Subscriber
	// Log is nil where there is none: what the bus does not bring is then lost.
	Log Log
	// Recent is how far back to begin when no position is known.
	Recent time.Duration
	// Logger is slog.Default() when nil.
	Logger *slog.Logger
}

// Feed hears a bus without repeats and gaps. Subscribe starts it, and Run makes up for gaps.
type Feed struct {
	deps    Deps
	started time.Time
	wake    chan struct{} // capacity 1: there is a gap to make up for

	stop func() // ends the subscription of the bus

	mu       sync.Mutex // held while the handler is called, so that calls never overlap
	handlers []*stream.Handler
	handler  *stream.Handler // all of them; nil without any
	seen     seen
	sure     bus.Position // every row before it was heard, or listed for the streams that could not hear it
	epoch    uint32       // see stream.Arrival
	gaps     uint64       // since the start
	broken   bool         // a gap is not made up for yet
	held     held
	stats    Stats
}

// Stats are what holds now, and counts since New.
type Stats struct {
	// Whole tells that no gap is left to make up for.
	Whole bool
	// Gaps counts breaks of the subscription, its beginning included.
	Gaps uint64
	// LookAgain counts how often events of todos may have been missed.
	LookAgain uint64
	// CaughtUp counts events that came from the log and had not been heard.
	CaughtUp uint64
	// Repeated counts events that were heard or listed again and left out.
	Repeated uint64
	// Failed counts calls of the log that failed.
	Failed uint64
	// Refused tells that the last call failed with ErrRefused.
	Refused bool
}

var _ stream.Source = (*Feed)(nil)

// New makes a Feed.
func New(d Deps) (*Feed, error) {
	if d.Bus == nil {
		return nil, errors.New("catchup: no bus")
	}
	d.Logger = cmp.Or(d.Logger, slog.Default())
	return &Feed{deps: d, started: time.Now(), wake: make(chan struct{}, 1)}, nil
}

// Stats reads the counters.
func (f *Feed) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.stats
	s.Whole = !f.broken
	return s
}

// hear is the bus's handler.
func (f *Feed) hear(frame bus.Frame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.handler != nil && frame.AnyTodo() {
		f.lookAgainLocked()
	}
	switch {
	case f.handler == nil:
	case len(frame.Events) == 0:
		// Whoever hears a watermark has heard all rows below it, unless there was a gap. One that lies below
		// the last one is as true, and is all that holds after the database was restored.
		if !f.broken && !frame.Watermark.IsZero() {
			f.sure = frame.Watermark
		}
	case f.held.keep(frame):
		if f.held.full() {
			f.releaseLocked()
		}
	default:
		f.acceptLocked(frame, false)
	}
}

// acceptLocked hands a frame over to the streams that do not have it. A listed one is for those that
// began before the last gap ended. The others hear what was committed since they began, so it must not
// count as theirs: it may be listed before it is heard.
func (f *Feed) acceptLocked(frame bus.Frame, listed bool) {
	n := uint64(len(frame.Events))
	a := stream.Arrival{Late: listed, To: stream.Forever}
	if listed && f.epoch > 0 {
		a.To = f.epoch
	}
	a.From = f.seen.add(frame, a.To, time.Now())
	if a.From >= a.To {
		f.stats.Repeated += n
		return
	}
	if listed && a.From == 0 {
		f.stats.CaughtUp += n
	}
	f.handler.Frame(frame, a)
}

// gap is the bus's handler.
func (f *Feed) gap() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.handler == nil {
		return
	}
	f.stats.Gaps++
	f.epoch++
	f.lookAgainLocked()
	if f.deps.Log == nil {
		f.handler.Lost()
		return
	}
	f.breakLocked()
}

// lookAgainLocked is for what no log has.
func (f *Feed) lookAgainLocked() {
	f.stats.LookAgain++
	f.handler.LookAgain()
}

// breakLocked notes a gap. What is heard from now on waits a moment for what was missed before it.
func (f *Feed) breakLocked() {
	f.gaps++
	f.broken = true
	f.handler.Gap(f.epoch)
	f.held.begin(f.release)
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// release hands over what was held, in its order.
func (f *Feed) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.releaseLocked()
}

func (f *Feed) releaseLocked() {
	for _, frame := range f.held.drop() {
		if f.handler != nil {
			f.acceptLocked(frame, false)
		}
	}
}
