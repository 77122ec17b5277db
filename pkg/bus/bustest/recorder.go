package bustest

import (
	"context"
	"slices"
	"sync"

	"example.com/hub/pkg/bus"
)

// Recorder is a bus that nobody hears; it keeps what is published. The zero Recorder is ready for use.
type Recorder struct {
	mu     sync.Mutex
	frames []bus.Frame
}

var _ bus.Publisher = (*Recorder)(nil)

// Publish implements bus.Publisher.
func (r *Recorder) Publish(_ context.Context, f bus.Frame) {
	f.Events = slices.Clone(f.Events)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frames = append(r.frames, f)
}

// Take gives what was published since the last time.
func (r *Recorder) Take() []bus.Frame {
	r.mu.Lock()
	defer r.mu.Unlock()
	frames := r.frames
	r.frames = nil
	return frames
}
