package catchup

import (
	"strings"
	"time"

	"example.com/hub/pkg/bus"
)

const (
	// holdFor is how long frames wait after a gap for the older ones that were missed, so that a
	// client never gets an id that other edges place behind events which it has not got. The bound
	// is there because a late event is better than none: an id has mattered only to a client that
	// is cut off within this time.
	holdFor = time.Second
	// maxHeld bounds the events that wait.
	maxHeld = 20_000
)

// held are the frames that wait while a gap is made up for.
type held struct {
	timer  *time.Timer // nil: nothing is held
	frames []bus.Frame
	events int
}

// begin holds frames from now on; release is called when they have waited long enough.
func (h *held) begin(release func()) {
	if h.timer == nil {
		h.timer = time.AfterFunc(holdFor, release)
	}
}

// keep is false when frames do not wait. It copies the frame, whose memory is the bus's.
func (h *held) keep(f bus.Frame) bool {
	if h.timer == nil {
		return false
	}
	events := make([]bus.Event, len(f.Events))
	for i, e := range f.Events {
		e.User, e.ID = strings.Clone(e.User), strings.Clone(e.ID)
		events[i] = e
	}
	f.Events = events
	h.frames = append(h.frames, f)
	h.events += len(events)
	return true
}

func (h *held) full() bool { return h.events >= maxHeld }

// drop gives what is held and holds nothing any more.
func (h *held) drop() []bus.Frame {
	if h.timer != nil {
		h.timer.Stop()
	}
	frames := h.frames
	*h = held{}
	return frames
}
