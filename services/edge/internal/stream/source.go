package stream

import (
	"math"

	"example.com/hub/pkg/bus"
)

// Source is where events come from.
type Source interface {
	// Subscribe calls h from now on until the returned cancel is called. When cancel returns, no
	// function of h is running and none will be called again.
	Subscribe(h Handler) (cancel func())
}

// Handler is what hears a Source, one call at a time. No function may block.
type Handler struct {
	// Frame gets every frame once for each stream that it is for. The events must neither be kept nor
	// changed.
	Frame func(f bus.Frame, a Arrival)
	// Gap is called when frames were missed that may come late, up to the next Whole or Lost, and tells
	// the epoch of the streams that begin from now on.
	Gap func(epoch uint32)
	// Whole is called when nothing is missing any more.
	Whole func()
	// Lost is called when frames were missed that will never come.
	Lost func()
	// LookAgain is called when events of the kind bus.Todo may have been missed, of any user: at the end of
	// each break of the bus, and when a sender tells that it may not have sent some. They never come. What
	// begins to hear later than this looks for itself.
	LookAgain func()
}

// Arrival says how a frame came, and for whom it is.
//
// An epoch begins whenever hearing has begun, at the start and after a break; the first one is 1, and
// streams that began before it are of the epoch 0. A stream hears whatever is announced in its epoch, so
// that only streams of earlier ones need what is caught up: it happened before the others began, and
// their clients look for themselves then.
type Arrival struct {
	// Late tells that the frame makes up for a gap and may come out of its order.
	Late bool
	// From is the first epoch, and To the epoch behind the last one, of the streams that the frame is
	// for. Unless From is 0, those of earlier epochs have it already.
	From, To uint32
}

// Forever is behind every epoch.
const Forever = math.MaxUint32
