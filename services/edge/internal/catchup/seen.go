package catchup

import (
	"time"

	"example.com/hub/pkg/bus"
)

const (
	// maxSeen bounds the frames of one generation, some 2 MB; a busy Hub makes a few thousand a
	// second.
	maxSeen = 1 << 15
	// maxAge ends a generation too, so that a restored database, which gives positions a second
	// time, is not taken for a repeat.
	maxAge = time.Minute
)

// seen knows the frames of the last time by position and part, in two generations: when the younger
// one is full or old, the older one is forgotten. With each goes the epoch before which streams have it.
type seen struct {
	current, previous map[key]uint32
	since             time.Time // of current
}

type key struct {
	row  bus.Position
	part int
}

// add notes that the streams of the epochs before one have a frame, and gives the epoch before which they
// had it already; 0 is a new frame. Frames without a position are always new.
func (s *seen) add(f bus.Frame, before uint32, now time.Time) (had uint32) {
	if f.Position.IsZero() {
		return 0
	}
	if s.current == nil || len(s.current) >= maxSeen || now.Sub(s.since) >= maxAge {
		s.turn(now)
	}
	k := key{f.Position, f.Part}
	had = max(s.current[k], s.previous[k])
	if before > had {
		s.current[k] = before
	}
	return had
}

// turn begins a generation in the memory of the oldest.
func (s *seen) turn(now time.Time) {
	oldest := s.previous
	if oldest == nil {
		oldest = map[key]uint32{}
	}
	clear(oldest)
	s.previous, s.current, s.since = s.current, oldest, now
}

// forget makes every frame new.
func (s *seen) forget() { *s = seen{} }
