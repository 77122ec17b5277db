package bus

import "iter"

// MaxEvents is the largest number of events in a frame that is heard. At a hundred, Redis carries
// some twenty times the events that it carries in frames of one.
const MaxEvents = 100

// Parts is the number of frames that n events of one row take.
func Parts(n int) int { return (n + MaxEvents - 1) / MaxEvents }

// Split gives f as frames of at most MaxEvents events, in order, with parts that count on from
// f.Part. It gives nothing for a frame with neither events nor a watermark. Whoever splits the same row
// gets the same parts, on the bus as in a list, so that a repeat is known by its position and part.
func (f Frame) Split() iter.Seq[Frame] {
	return func(yield func(Frame) bool) {
		if len(f.Events) == 0 {
			if !f.Watermark.IsZero() {
				yield(f)
			}
			return
		}
		rest := f.Events
		for len(rest) > 0 {
			n := min(len(rest), MaxEvents)
			f.Events, rest = rest[:n:n], rest[n:]
			if !yield(f) {
				return
			}
			f.Part++
		}
	}
}
