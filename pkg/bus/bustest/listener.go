package bustest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/hub/pkg/bus"
)

// listener keeps what one subscriber hears.
type listener struct {
	cancel func()
	more   chan struct{}

	mu     sync.Mutex
	heard  []bus.Event
	parts  []bus.Frame
	hollow int // frames with nothing in them
}

func listen(t *testing.T, s bus.Subscriber) *listener {
	l := &listener{more: make(chan struct{}, 1)}
	l.cancel = sync.OnceFunc(s.Subscribe(bus.Handler{Frame: l.hear}))
	t.Cleanup(l.cancel)
	return l
}

func (l *listener) hear(f bus.Frame) {
	f.Events = append([]bus.Event(nil), f.Events...) // they are not ours to keep
	l.mu.Lock()
	l.heard = append(l.heard, f.Events...)
	l.parts = append(l.parts, f)
	if len(f.Events) == 0 && f.Watermark.IsZero() {
		l.hollow++
	}
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// frames gives the frames that were heard.
func (l *listener) frames() []bus.Frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.parts)
}

// wait gives everything that was heard once it is at least n events.
func (l *listener) wait(t *testing.T, n int) []bus.Event {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		l.mu.Lock()
		heard, hollow := l.heard[:len(l.heard):len(l.heard)], l.hollow
		l.mu.Unlock()
		if hollow > 0 {
			t.Fatalf("heard %d frames with nothing in them", hollow)
		}
		if len(heard) >= n {
			return heard
		}
		select {
		case <-l.more:
		case <-late.C:
			t.Fatalf("heard %d of %d events within %v", len(heard), n, patience)
		}
	}
}

// expect waits for exactly these events in this order. That nothing came after them is known only
// as far as it was heard.
func (l *listener) expect(t *testing.T, want []bus.Event) {
	t.Helper()
	if diff := cmp.Diff(want, l.wait(t, len(want))); diff != "" {
		t.Errorf("heard events (-want +got):\n%s", diff)
	}
}
