package stream

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"example.com/hub/pkg/bus"
)

const (
	// maxHints is how many users' newest records are asked for at a time.
	maxHints = 50
	// The pause after a failed question doubles between these while messagehub stays away.
	minPause = 250 * time.Millisecond
	maxPause = 5 * time.Second
)

// Inbox tells what is newest in a user's inbox.
type Inbox interface {
	// Newest gives the id of the user's newest record, or "" when there is none. With ErrNoAnswer
	// it is of no use to ask again.
	Newest(ctx context.Context, user string) (id string, err error)
}

// ErrNoAnswer says that the newest record cannot be told, now or later.
var ErrNoAnswer = errors.New("the newest record cannot be told")

// hints are the streams that wait for the id of their user's newest record: what the client saw last
// is not known here, so a true event tells it to look for itself.
type hints struct {
	wake chan struct{} // capacity 1

	mu      sync.Mutex
	waiting map[*stream]struct{}
}

func (h *hints) init() {
	h.wake = make(chan struct{}, 1)
	h.waiting = map[*stream]struct{}{}
}

func (h *hints) add(s *stream) {
	h.mu.Lock()
	h.waiting[s] = struct{}{}
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *hints) remove(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, s)
}

// take gives a stream that waits, or nil.
func (h *hints) take() *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.waiting {
		delete(h.waiting, s)
		return s
	}
	return nil
}

// runHints answers the streams that wait, until ctx ends.
func (b *Broker) runHints(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	places := make(chan struct{}, maxHints)
	for {
		select {
		case <-b.hints.wake:
		case <-ctx.Done():
			return
		}
		for s := b.hints.take(); s != nil; s = b.hints.take() {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}
			workers.Go(func() {
				defer func() { <-places }()
				b.hint(ctx, s)
			})
		}
	}
}

// hint asks until there is an answer, or until the stream or ctx ends.
func (b *Broker) hint(ctx context.Context, s *stream) {
	for pause := minPause; s.isOpen(); pause = min(2*pause, maxPause) {
		covered := b.ring.end()
		id, err := b.deps.Inbox.Newest(ctx, s.user)
		switch {
		case err == nil:
			b.hintsFailing.Store(false)
			s.hinted(b.hintFrame(id), covered)
			return
		case ctx.Err() != nil:
			return
		}
		if !b.hintsFailing.Swap(true) {
			b.deps.Logger.WarnContext(ctx, "newest records are not told", slog.Any("error", err))
		}
		if errors.Is(err, ErrNoAnswer) {
			s.hinted(nil, covered)
			return
		}
		if !waitUntil(ctx, time.Now().Add(pause/2+rand.N(pause))) {
			return
		}
	}
}

// hintFrame is a true event: the record exists, and is new to a client that saw less.
func (b *Broker) hintFrame(id string) []byte {
	if id == "" {
		return nil
	}
	e := bus.Event{Kind: bus.Message, ID: id, Time: b.deps.Clock()}
	var c chunk
	text, _ := appendEvent(c.begin(), &e)
	return c.end(text)
}
