package catchup

import (
	"slices"

	"example.com/hub/pkg/bus"
	"example.com/hub/services/edge/internal/stream"
)

// Subscribe implements stream.Source. The first subscriber begins the feed, with a gap where there is a
// log, so that the recent events come first; the last one ends it.
func (f *Feed) Subscribe(h stream.Handler) (cancel func()) {
	own := &h
	f.mu.Lock()
	f.handlers = append(f.handlers, own)
	f.handler = join(f.handlers)
	first := len(f.handlers) == 1
	switch {
	case first && f.deps.Log != nil:
		f.breakLocked()
	case !first:
		own.Gap(f.epoch)
		if !f.broken {
			own.Whole()
		}
	}
	f.mu.Unlock()
	if first {
		f.stop = f.deps.Bus.Subscribe(bus.Handler{Frame: f.hear, Gap: f.gap})
	}
	return func() { f.unsubscribe(own) }
}

func (f *Feed) unsubscribe(own *stream.Handler) {
	f.mu.Lock()
	f.handlers = slices.DeleteFunc(f.handlers, func(h *stream.Handler) bool { return h == own })
	f.handler = join(f.handlers)
	last := f.handler == nil
	f.mu.Unlock()
	if !last {
		return
	}
	f.stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held.drop()
}

// join makes one handler of several; nil of none.
func join(all []*stream.Handler) *stream.Handler {
	if len(all) < 2 {
		if len(all) == 0 {
			return nil
		}
		return all[0]
	}
	first, rest := all[0], join(slices.Clone(all[1:]))
	return &stream.Handler{
		Frame:     func(f bus.Frame, a stream.Arrival) { first.Frame(f, a); rest.Frame(f, a) },
		Gap:       func(epoch uint32) { first.Gap(epoch); rest.Gap(epoch) },
		Whole:     func() { first.Whole(); rest.Whole() },
		Lost:      func() { first.Lost(); rest.Lost() },
		LookAgain: func() { first.LookAgain(); rest.LookAgain() },
	}
}
