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
// one is full or old, the older one is forgotten.
type seen struct {
	current, previous map[key]struct{}
	since             time.Time // of current
}

type key struct {
	row  bus.Position
	part int
}

// add is false when the frame was there. Frames without a position are always new.
func (s *seen) add(f bus.Frame, now time.Time) bool {
	if f.Position.IsZero() {
		return true
	}
	if s.current == nil || len(s.current) >= maxSeen || now.Sub(s.since) >= maxAge {
		s.turn(now)
	}
	k := key{f.Position, f.Part}
	if _, ok := s.current[k]; ok {
		return false
	}
	if _, ok := s.previous[k]; ok {
		return false
	}
	s.current[k] = struct{}{}
	return true
}

// turn begins a generation in the memory of the oldest.
func (s *seen) turn(now time.Time) {
	oldest := s.previous
	if oldest == nil {
		oldest = map[key]struct{}{}
	}
	clear(oldest)
	s.previous, s.current, s.since = s.current, oldest, now
}

// forget makes every frame new.
func (s *seen) forget() { *s = seen{} }
